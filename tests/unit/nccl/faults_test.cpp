#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/fake_gpus.hpp"
#include "tests/unit/agent/agent_client.hpp"

using nlohmann::json;
using vt::test::FakeGpus;

namespace {

json small(double patience = 0.5) {
  return {{"operation", "all_reduce"}, {"mib", {0.01}}, {"warmup", 1}, {"iterations", 2}, {"patience", patience}};
}

json fault(const char* kind, int rank, const char* where = "all_reduce") { return {{"kind", kind}, {"gpu", rank}, {"where", where}}; }

/// Meeting places of ranks that are all gone; their names begin with the process that made them.
bool nothing_left() {
  const std::string prefix = "vault-test-nccl-";
  for (auto& file : std::filesystem::directory_iterator("/dev/shm")) {
    auto name = file.path().filename().string();
    if (name.starts_with(prefix) && !vt::test::exists(std::atoi(name.c_str() + prefix.size()))) return false;
  }
  return true;
}

}  // namespace

TEST(NcclFaults, ARankThatNeverEntersIsNamedWithTheOperation) {
  FakeGpus gpus(4);
  gpus.fault(fault("nccl-hang", 2));
  auto since = vt::test::now_ms();
  auto values = gpus.values("nccl.collective", small(), 20'000);
  EXPECT_LT(vt::test::now_ms() - since, 5000);
  ASSERT_EQ(values["health"].size(), 4U) << values;
  EXPECT_EQ(values["health"][2], "hung in all_reduce 10.24 KiB: calling");
  for (auto rank : {0, 1, 3}) EXPECT_EQ(values["health"][static_cast<std::size_t>(rank)], "ok") << rank;
  EXPECT_TRUE(vt::test::eventually(nothing_left));
}

TEST(NcclFaults, WhereEveryRankHasEnteredAllOfThemHang) {
  FakeGpus gpus(2);
  gpus.fault(fault("nccl-stuck", 1));
  auto values = gpus.values("nccl.collective", small(), 20'000);
  for (auto& health : values["health"]) EXPECT_EQ(health, "hung in all_reduce 10.24 KiB: waiting");
}

TEST(NcclFaults, ARankThatNeverJoinsIsNamed) {
  FakeGpus gpus(3);
  gpus.fault(fault("nccl-hang", 1, "init"));
  auto values = gpus.values("nccl.collective", small(), 20'000);
  EXPECT_EQ(values["health"][0], "ok") << values;
  EXPECT_EQ(values["health"][1], "hung in init: calling");
}

TEST(NcclFaults, ARankThatNeverJoinsIsNamedWhereJoiningBlocks) {
  FakeGpus gpus(3);
  gpus.fault(fault("nccl-hang", 1, "init"));
  auto values = gpus.values("nccl.latency", {{"iterations", 2}, {"patience", 0.5}}, 20'000);
  EXPECT_EQ(values["health"], json({"ok", "hung in init: calling", "ok"})) << values;
}

TEST(NcclFaults, ARankThatDiesIsNamedAndTheOthersEnd) {
  FakeGpus gpus(3);
  gpus.fault(fault("nccl-dead", 1));
  auto since = vt::test::now_ms();
  auto values = gpus.values("nccl.collective", small(20), 40'000);  // the loss is seen, not waited for
  EXPECT_LT(vt::test::now_ms() - since, 10'000);
  EXPECT_EQ(values["health"], json({"ok", "crashed (signal 9)", "ok"}));
}

TEST(NcclFaults, AWrongResultIsCounted) {
  FakeGpus gpus(2);
  gpus.fault(fault("nccl-wrong", 1));
  auto values = gpus.values("nccl.collective", small(10));
  EXPECT_EQ(values["wrong"][0], 0);
  EXPECT_EQ(values["wrong"][1], 4);  // two ways, each verified twice
  EXPECT_NE(values["first_wrong"][1].get<std::string>().find("first at"), std::string::npos) << values["first_wrong"];
}

TEST(NcclFaults, ASystemThatRefusesIsAnErrorWithAdvice) {
  FakeGpus gpus(2);
  auto refused = fault("nccl-init", 0, "init");
  refused["code"] = 2;
  gpus.fault(refused);
  auto error = gpus.check("nccl.init", {{"patience", 0.5}}).error;
  EXPECT_NE(error.find("unhandled system error (NCCL error 2)"), std::string::npos) << error;
  EXPECT_NE(error.find("--shm-size"), std::string::npos) << error;
}

TEST(NcclFaults, ASlowRankIsNotAHang) {
  FakeGpus gpus(2);
  auto slow = fault("nccl-slow", 0);
  slow["after_ms"] = 10;
  gpus.fault(slow);
  auto values = gpus.values("nccl.collective", small(10));
  EXPECT_EQ(values["health"], json({"ok", "ok"}));
  EXPECT_GT(values["sizes"][1][0]["out_of_place"]["us"], 10'000.0);
}

TEST(NcclFaults, WhereACallTakesLongFewerAreTimed) {
  FakeGpus gpus(2);
  auto slow = fault("nccl-slow", 1);
  slow["after_ms"] = 40;
  gpus.fault(slow);
  auto args = small(1);
  args["iterations"] = 50, args["warmup"] = 50;  // 4 s of them, with a patience of 1 s
  auto values = gpus.values("nccl.collective", args, 20'000);
  EXPECT_EQ(values["health"], json({"ok", "ok"}));
  auto used = values["sizes"][0][0]["out_of_place"]["iterations"].get<int>();
  EXPECT_TRUE(used >= 1 && used <= 6) << used;
  EXPECT_EQ(values["sizes"][1][0]["out_of_place"]["iterations"], used) << "the same on every rank";
}

TEST(NcclFaults, SurvivorsGetOutWhenARankLeaves) {
  FakeGpus gpus(3);
  auto values = gpus.values("nccl.abort", {{"patience", 3}}, 20'000);
  EXPECT_EQ(values["survivor_s"].size(), 3U) << values;
  for (auto& seconds : values["survivor_s"]) EXPECT_LT(seconds, 3.0);
  EXPECT_EQ(values["noticed"], json({"error", "error", "left"}));
  EXPECT_EQ(values["wrong"], json({0, 0, 0}));
  EXPECT_EQ(values["health"], json({"ok", "ok", "ok"}));
}
