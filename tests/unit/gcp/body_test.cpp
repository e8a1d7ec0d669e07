#include "providers/gcp/instance_body.hpp"

#include <gtest/gtest.h>

#include "tests/unit/gcp/fake_cloud.hpp"

using namespace vt;
using namespace vt::gcp;
using nlohmann::json;
using vt::test::FakeCloud;
using vt::test::layer;

namespace {

json body(const FakeCloud& cloud, const Options& options, const std::string& machine, const std::string& market) {
  auto wish = wish_of(layer(options));
  if (!wish) ADD_FAILURE() << wish.error().what;
  return json::parse(instance_body(*wish, test::row(cloud, machine, market), "ssh-ed25519 AAAA vt", std::chrono::seconds(3600)));
}

const json kMarks{{"vt-install", "abcdefgh"},
                  {"vt-attempt", "qrstuvwxyz234567"},
                  {"vt-run", "20261120-115606-lciz"},
                  {"vt-expires", "1700003600"},
                  {"vt-token", "tokentokentokentokentokent"}};

TEST(GcpBody, SpotMachineWithItsOwnGpu) {
  FakeCloud cloud;
  auto expected = json::parse(R"({
    "name": "vt-abcdefgh-qrstuvwxyz234567",
    "machineType": "zones/us-central1-b/machineTypes/g4-standard-48",
    "scheduling": {"maxRunDuration": {"seconds": "3600"}, "instanceTerminationAction": "DELETE", "automaticRestart": false,
                   "onHostMaintenance": "TERMINATE", "provisioningModel": "SPOT", "preemptible": true},
    "disks": [{"boot": true, "autoDelete": true, "type": "PERSISTENT", "mode": "READ_WRITE",
               "initializeParams": {"diskName": "vt-abcdefgh-qrstuvwxyz234567", "diskSizeGb": "100",
                                    "diskType": "zones/us-central1-b/diskTypes/hyperdisk-balanced",
                                    "sourceImage": "projects/p/global/images/golden-7"}}],
    "networkInterfaces": [{"network": "global/networks/default",
                           "accessConfigs": [{"name": "external-nat", "type": "ONE_TO_ONE_NAT"}]}],
    "metadata": {"items": [{"key": "ssh-keys", "value": "vault:ssh-ed25519 AAAA vt"}, {"key": "enable-oslogin", "value": "FALSE"},
                           {"key": "block-project-ssh-keys", "value": "TRUE"}, {"key": "enable-guest-attributes", "value": "TRUE"}]},
    "serviceAccounts": [],
    "deletionProtection": false})");
  expected["labels"] = kMarks;
  expected["disks"][0]["initializeParams"]["labels"] = kMarks;
  EXPECT_EQ(body(cloud, {{"image", {"global/images/golden-7"}}}, "g4-standard-48", "spot"), expected);
}

TEST(GcpBody, PlainMachineOnDemandWithoutAddress) {
  FakeCloud cloud;
  auto made = body(
      cloud, {{"machine", {"e2-micro"}}, {"public-address", {"false"}}, {"subnetwork", {"inner"}}, {"disk", {"10 GB"}}, {"user", {"me"}}},
      "e2-micro", "on-demand");
  EXPECT_EQ(made["scheduling"], json::parse(R"({"maxRunDuration": {"seconds": "3600"}, "instanceTerminationAction": "DELETE",
    "automaticRestart": false, "onHostMaintenance": "TERMINATE", "provisioningModel": "STANDARD"})"));
  EXPECT_EQ(made["networkInterfaces"], json::parse(R"([{"subnetwork": "regions/us-central1/subnetworks/inner"}])"));
  EXPECT_EQ(made["disks"][0]["initializeParams"]["diskType"], "zones/us-central1-b/diskTypes/pd-balanced");
  EXPECT_EQ(made["disks"][0]["initializeParams"]["diskSizeGb"], "10");
  EXPECT_EQ(made["metadata"]["items"][0]["value"], "me:ssh-ed25519 AAAA vt");
  EXPECT_FALSE(made.contains("guestAccelerators"));
}

TEST(GcpBody, OnlyAttachedAcceleratorsAreAskedFor) {
  FakeCloud cloud;
  auto made = body(cloud, {{"machine", {"n1-standard-4"}}, {"accelerator", {"nvidia-tesla-t4:2"}}}, "n1-standard-4", "spot");
  EXPECT_EQ(made["guestAccelerators"],
            json::parse(R"([{"acceleratorType": "zones/us-central1-b/acceleratorTypes/nvidia-tesla-t4", "acceleratorCount": 2}])"));
}

TEST(GcpBody, LabelsAreReadBackAsTheyWereWritten) {
  FakeCloud cloud;
  auto r = test::row(cloud);
  auto owner = owner_of(r.owner.name, labels_of(r));
  EXPECT_EQ(owner.install, r.owner.install);
  EXPECT_EQ(owner.attempt, r.owner.attempt);
  EXPECT_EQ(owner.expires, r.owner.expires);
  EXPECT_EQ(owner.token, r.owner.token);
}

TEST(GcpBody, ExpiriesThatCannotBeReadAreNone) {
  for (auto text : {"", "soon", "-5", "12x", "99999999999999"}) EXPECT_EQ(owner_of("n", {{"vt-expires", text}}).expires, 0) << text;
}

}  // namespace
