#include <gtest/gtest.h>

#include "orchestrator/model/capability_ids.hpp"
#include "providers/registry.hpp"

using namespace vt;

namespace {

Capabilities predict(const std::string& provider, const Options& options) {
  Layer layer;
  layer.options = options;
  return find_provider(provider)->make({"/tmp", nullptr})->predict(layer);
}

Value value_of(const Capabilities& c, const std::string& id) {
  auto fact = c.find(id);
  return fact && fact->value ? *fact->value : Value();
}

TEST(Predictions, NameKnownCapabilitiesWithEvidence) {
  for (auto& entry : provider_registry()) {
    auto known = predict(entry.name, {{"machine", {"g4-standard-96"}}, {"gpu", {"NVIDIA GeForce RTX 5090"}}, {"gpus", {"2"}}});
    for (auto& [id, fact] : known.all()) {
      EXPECT_TRUE(capability_type(id)) << entry.name << " " << id;
      EXPECT_TRUE(fact.value) << entry.name << " " << id;
      EXPECT_FALSE(fact.evidence.empty()) << entry.name << " " << id;
      EXPECT_EQ(fact.origin, FactOrigin::predicted) << entry.name << " " << id;
    }
  }
}

TEST(Predictions, GcpCountsTheGpusOfAMachine) {
  for (auto& [machine, gpus] : std::map<std::string, int>{{"g4-standard-48", 1},
                                                          {"g4-standard-96", 2},
                                                          {"g4-standard-192", 4},
                                                          {"g4-standard-384", 8},
                                                          {"a3-highgpu-8g", 8},
                                                          {"a2-megagpu-16g", 16}}) {
    EXPECT_EQ(value_of(predict("gcp", {{"machine", {machine}}}), "gpu"), Value(gpus)) << machine;
  }
  for (auto machine : {"g4-standard-12", "n2-standard-8", "a3-highgpu-g", "a3-highgpu-99g", ""})
    EXPECT_EQ(predict("gcp", {{"machine", {machine}}}).find("gpu"), nullptr) << machine;
}

TEST(Predictions, GcpIsAMachineWithItsOwnKernel) {
  auto known = predict("gcp", {{"machine", {"g4-standard-48"}}});
  for (auto id : {"kernel.modules", "host.reboot", "sysctl.write", "image.build"}) EXPECT_EQ(value_of(known, id), Value(true)) << id;
  EXPECT_EQ(value_of(known, "gpu.p2p"), Value(false));
  EXPECT_EQ(predict("gcp", {{"machine", {"g4-standard-96"}}}).find("gpu.p2p"), nullptr) << "depends on the machine's IOMMU";
  EXPECT_EQ(known.find("docker.daemon"), nullptr) << "depends on the image";
}

TEST(Predictions, RunPodLacksWhatTheHostKeeps) {
  auto known = predict("runpod", {{"gpu", {"NVIDIA GeForce RTX 5090"}}});
  for (auto id : {"kernel.modules", "host.reboot", "init.systemd", "docker.daemon", "sysctl.write", "image.build", "gpu.p2p"})
    EXPECT_EQ(value_of(known, id), Value(false)) << id;
  EXPECT_EQ(known.find("kernel.modules")->evidence, "pods share the host's kernel and lack CAP_SYS_MODULE");
  EXPECT_EQ(value_of(known, "gpu"), Value(1));
  EXPECT_EQ(value_of(known, "host.root"), Value(true));
}

TEST(Predictions, PeerAccessIsOnlySaidWhereItIsCertain) {
  auto two_5090 = predict("runpod", {{"gpu", {"NVIDIA GeForce RTX 5090"}}, {"gpus", {"2"}}});
  EXPECT_EQ(value_of(two_5090, "gpu"), Value(2));
  EXPECT_EQ(value_of(two_5090, "gpu.p2p"), Value(false));
  EXPECT_EQ(predict("runpod", {{"gpu", {"NVIDIA H100"}}, {"gpus", {"2"}}}).find("gpu.p2p"), nullptr);
}

TEST(Predictions, ClustersPromiseWhatTheLayerAsksFor) {
  EXPECT_EQ(value_of(predict("slurm", {{"gpus", {"4"}}}), "gpu.logical"), Value(4));
  EXPECT_EQ(value_of(predict("kubernetes", {{"gpus", {"8"}}}), "gpu.logical"), Value(8));
  EXPECT_EQ(predict("slurm", {{"gpus", {"many"}}}).find("gpu.logical"), nullptr);
  EXPECT_EQ(predict("slurm", {}).find("gpu.logical"), nullptr);
}

TEST(Predictions, NothingIsPredictedOfExistingHosts) {
  EXPECT_TRUE(predict("local", {}).all().empty());
  EXPECT_TRUE(predict("bare-metal", {}).all().empty());
}

TEST(Predictions, BareMetalRepeatsWhatTheUserDeclares) {
  Layer layer;
  layer.declares = {{"gpu", Value(4)}};
  auto known = find_provider("bare-metal")->make({})->predict(layer);
  ASSERT_NE(known.find("gpu"), nullptr);
  EXPECT_EQ(known.find("gpu")->value, Value(4));
  EXPECT_EQ(known.find("gpu")->origin, FactOrigin::declared);
}

}  // namespace
