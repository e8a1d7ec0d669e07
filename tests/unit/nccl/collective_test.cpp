#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/fake_gpus.hpp"

using nlohmann::json;
using vt::test::FakeGpus;

namespace {

json small(const char* operation) { return {{"operation", operation}, {"mib", {0.01, 0.25}}, {"warmup", 1}, {"iterations", 2}}; }

bool all_zero(const json& list) {
  return std::all_of(list.begin(), list.end(), [](auto& n) { return n == 0; });
}

}  // namespace

class Collective : public testing::TestWithParam<const char*> {};

TEST_P(Collective, LeavesTheRightDataOnEveryRank) {
  FakeGpus gpus(3);
  auto values = gpus.values("nccl.collective", small(GetParam()));
  ASSERT_EQ(values["wrong"].size(), 3U) << values;
  EXPECT_TRUE(all_zero(values["wrong"])) << values["first_wrong"];
  EXPECT_EQ(values["health"], json({"ok", "ok", "ok"}));
  EXPECT_EQ(values["sizes"][0].size(), 2U);
  for (auto& one : values["busbw"]) EXPECT_GT(one, 0.0);
}

TEST_P(Collective, FindsAFlippedBit) {
  FakeGpus gpus(2);
  auto args = small(GetParam());
  args["fault"] = true;
  auto values = gpus.values("nccl.collective", args);
  EXPECT_GE(values["wrong"][0], 1) << values;
  EXPECT_NE(values["first_wrong"][0], "none");
}

INSTANTIATE_TEST_SUITE_P(Nccl, Collective,
                         testing::Values("all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "alltoall", "sendrecv"),
                         [](auto& name) { return name.param; });

TEST(NcclChecks, BusBandwidthFollowsFromTimeAndSize) {
  FakeGpus gpus(2);
  auto values = gpus.values("nccl.collective", small("all_gather"));
  auto& size = values["sizes"][1][1]["out_of_place"];
  EXPECT_NEAR(size["algbw"], 262144 / size["us"].get<double>() / 1e3, 1e-6);
  EXPECT_NEAR(size["busbw"], size["algbw"].get<double>() / 2, 1e-9);
  EXPECT_EQ(values["busbw"][1], size["busbw"]);
}

TEST(NcclChecks, SizesThatDoNotFitAreLeftOutAndNamed) {
  FakeGpus gpus(2);
  gpus.gpu(1)["free_mib"] = 8;
  auto args = small("all_reduce");
  args["mib"] = {0.25, 6};
  auto values = gpus.values("nccl.collective", args);
  EXPECT_EQ(values["left_out_mib"], json({{6.0}, {6.0}}));  // on both, for both must take part
  EXPECT_EQ(values["sizes"][0].size(), 1U);
}

TEST(NcclChecks, JoiningTellsTransportAndVersion) {
  FakeGpus gpus(2);
  auto values = gpus.values("nccl.init", {});
  EXPECT_EQ(values["transport"][0], "SHM/direct/direct");
  EXPECT_EQ(values["nccl"][0], "2.28.9");
  EXPECT_EQ(values["channels"][1], 2);
  EXPECT_GT(values["init_s"][0], 0.0);
  EXPECT_TRUE(all_zero(values["wrong"]));
}

TEST(NcclChecks, PeerAccessIsAKnob) {
  FakeGpus gpus(2);
  gpus.all_p2p();
  EXPECT_EQ(gpus.values("nccl.init", {})["transport"][0], "P2P/CUMEM");
  EXPECT_EQ(gpus.values("nccl.init", {{"p2p", false}})["transport"][0], "SHM/direct/direct");
}

TEST(NcclChecks, LatencyOfEveryCall) {
  FakeGpus gpus(2);
  auto values = gpus.values("nccl.latency", {{"iterations", 5}});
  EXPECT_GT(values["p50_us"][0], 0.0);
  EXPECT_GE(values["p99_us"][0], values["p50_us"][0]);
  EXPECT_EQ(values["sizes"][0].size(), 4U);
}

TEST(NcclChecks, AllGpusInOneProcess) {
  FakeGpus gpus(3);
  auto values = gpus.values("nccl.single_process", {{"mib", {0.05}}, {"warmup", 0}, {"iterations", 1}});
  EXPECT_EQ(values["wrong"], json({0, 0, 0})) << values;
  EXPECT_EQ(values["alltoall"].size(), 3U);
  auto damaged = gpus.values("nccl.single_process", {{"mib", {0.05}}, {"warmup", 0}, {"iterations", 1}, {"fault", true}});
  for (auto& wrong : damaged["wrong"]) EXPECT_GE(wrong, 1);
}

TEST(NcclChecks, TheVersionIsHeldAgainstTheDevice) {
  FakeGpus gpus(1);
  auto values = gpus.values("nccl.version", {});
  EXPECT_EQ(values["version"][0], "2.28.9");
  EXPECT_EQ(values["oldest"][0], "2.26.2");
  EXPECT_EQ(values["new_enough"][0], true);
}

TEST(NcclChecks, OneGpuIsNotEnough) {
  FakeGpus gpus(1);
  EXPECT_NE(gpus.check("nccl.init").error.find("NCCL needs two GPUs"), std::string::npos);
}
