#include "tests/unit/emulator_runpod/emulated_runpod.hpp"

// What there is to rent, and what belongs to the account.
namespace vt::test {

namespace {

json one_gpu(EmulatedRunpod& runpod, const std::string& query, const std::string& id = "NVIDIA L4") {
  auto listed = runpod.send("GET", "catalog/gpus?" + query);
  EXPECT_EQ(listed.status, 200) << listed.reply.body;
  for (auto& gpu : listed.body["gpus"])
    if (gpu["id"] == id) return gpu;
  return nullptr;
}

TEST(RunpodCatalogue, TellsPricesAndStock) {
  EmulatedRunpod runpod;
  auto plain = one_gpu(runpod, "");
  EXPECT_EQ(plain["price"]["secure"], 0.43);
  EXPECT_FALSE(plain.contains("availability"));
  std::string asked = "include=AVAILABILITY&product=POD";
  EXPECT_EQ(one_gpu(runpod, asked)["availability"], "HIGH");
  EXPECT_EQ(one_gpu(runpod, asked)["dataCenters"].size(), 4U);
  EXPECT_EQ(one_gpu(runpod, asked + "&countryCodes=RO")["dataCenters"].size(), 1U);
  EXPECT_EQ(one_gpu(runpod, asked + "&cloud=COMMUNITY")["availability"], "NONE");
  EXPECT_EQ(one_gpu(runpod, asked + "&count=9")["availability"], "NONE");
  EXPECT_EQ(one_gpu(runpod, asked + "&minCudaVersion=13.5")["availability"], "NONE");
  EXPECT_EQ(one_gpu(runpod, asked, "NVIDIA B200")["availability"], "NONE");
}

TEST(RunpodCatalogue, RefusesHalfAQuestion) {
  EmulatedRunpod runpod;
  EXPECT_EQ(runpod.send("GET", "catalog/gpus?include=AVAILABILITY").status, 400);
  EXPECT_EQ(runpod.send("GET", "catalog/gpus?product=POD").status, 400);
  EXPECT_EQ(runpod.send("GET", "catalog/gpus?cloud=SECURE").status, 400);
  EXPECT_EQ(runpod.send("GET", "catalog/gpus?include=AVAILABILITY&product=POD&minCudaVersion=new").status, 422);
  EXPECT_EQ(runpod.send("GET", "catalog/gpus?include=AVAILABILITY&product=POD&minCudaVersion=12&cudaVersions=12.8").status, 400);
}

TEST(RunpodCatalogue, HasEachThingByItsId) {
  EmulatedRunpod runpod;
  EXPECT_EQ(runpod.send("GET", "catalog/gpus/NVIDIA%20L4").body["memory"], 24);
  EXPECT_EQ(runpod.send("GET", "catalog/gpus/GTX").status, 404);
  EXPECT_EQ(runpod.send("GET", "catalog/cpus/cpu5c").body["vcpu"]["max"], 32);
  auto center = runpod.send("GET", "catalog/datacenters/US-TX-3?include=GPU_AVAILABILITY").body;
  EXPECT_EQ(center["region"], "NORTH_AMERICA");
  EXPECT_FALSE(center["gpuAvailability"].empty());
  EXPECT_EQ(runpod.send("GET", "catalog/datacenters?regions=EUROPE").body["dataCenters"].size(), 1U);
}

TEST(RunpodAccount, KeepsKeysAndVolumes) {
  EmulatedRunpod runpod;
  json keys = {{"keys", {"ssh-ed25519 AAAA me"}}};
  EXPECT_EQ(runpod.send("PUT", "account/ssh-keys", keys).body, keys);
  EXPECT_EQ(runpod.send("GET", "account/ssh-keys").body, keys);
  auto made = runpod.send("POST", "network-volumes", {{"name", "v"}, {"size", 20}, {"dataCenter", "US-TX-3"}});
  ASSERT_EQ(made.status, 201) << made.reply.body;
  std::string path = "network-volumes/" + made.body["id"].get<std::string>();
  EXPECT_EQ(runpod.send("PATCH", path, {{"size", 30}}).body["size"], 30);
  EXPECT_EQ(runpod.send("PATCH", path, {{"size", 10}}).status, 400);
  EXPECT_EQ(runpod.send("GET", "network-volumes").body["networkVolumes"].size(), 1U);
  EXPECT_EQ(runpod.send("DELETE", path).status, 204);
  EXPECT_EQ(runpod.send("GET", path).status, 404);
}

}  // namespace

}  // namespace vt::test
