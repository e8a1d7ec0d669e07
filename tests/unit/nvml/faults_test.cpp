#include <gtest/gtest.h>

#include "orchestrator/engine/evaluate.hpp"
#include "orchestrator/plan/load.hpp"
#include "tests/support/fake_gpus.hpp"
#include "tests/unit/agent/agent_client.hpp"

// What a check's verdict says when something is wrong with a GPU while it runs: the shipped agent on hosts with doubles.
using namespace vt;
using nlohmann::json;
using test::FakeGpus;

namespace {

constexpr const char* kCheck = "cuda.nvrtc";  // a short one that runs kernels on every GPU

/// The verdict on a check of which only the GPUs' health counts.
Judgement judged(FakeGpus& gpus, const json& args = json::object()) {
  Check check;
  check.id = kCheck, check.how = AgentRun{kCheck, {}};
  ValueSpec health;
  health.name = "health", health.read = {Reader::From::result, Reader::By::json, "/health", true};
  health.expect = Expectation{Expectation::Op::equals, {"ok"}, Expectation::Over::each};
  check.values.push_back(health);
  return evaluate(check, {}, observe(check, {}, gpus.check(kCheck, args)));
}

Judgement by_catalogue(FakeGpus& gpus, const std::string& id) {
  static const auto loaded = load_catalogue(VT_SOURCE_DIR "/plans");
  auto& check = *loaded.catalogue.check(id);
  EXPECT_FALSE(check.remedy.empty());
  return evaluate(check, {}, observe(check, {}, gpus.check(id)));
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST(GpuFaults, HealthyGpusPassWithTheirTelemetry) {
  FakeGpus gpus(2);
  EXPECT_EQ(judged(gpus).verdict, Verdict::pass) << judged(gpus).reason;
  auto values = gpus.values(kCheck);
  EXPECT_EQ(values["health"], json({"ok", "ok"}));
  EXPECT_EQ(values["gpu"].size(), 2U);
  EXPECT_EQ(values["telemetry"].size(), 2U);
  EXPECT_TRUE(values["telemetry"][0].contains("throttled_s"));
  auto conditions = values["conditions"][1].get<std::string>();
  for (auto* part : {" W", " C", "SM ", "memory ", "PCIe gen 5 x16 of gen 5 x16"}) EXPECT_TRUE(has(conditions, part)) << conditions;
}

TEST(GpuFaults, AGpuThatFallsOffTheBusIsNamedWithItsXid) {
  FakeGpus gpus(2);
  gpus.fault_lost(1, 0);
  auto verdict = judged(gpus);
  EXPECT_EQ(verdict.verdict, Verdict::fail);
  EXPECT_TRUE(has(verdict.reason, "XID 79: fell off the bus (power the machine off and on")) << verdict.reason;
  auto values = json::parse(gpus.check(kCheck).values);
  EXPECT_EQ(values["health"][0], "ok");  // the other one is not blamed
}

TEST(GpuFaults, AnXidOfOurOwnKernelsFailsTheCheck) {
  FakeGpus gpus;
  gpus.fault_xid(0, 31, 0);
  auto verdict = judged(gpus);
  EXPECT_EQ(verdict.verdict, Verdict::fail);
  EXPECT_TRUE(has(verdict.reason, "XID 31: memory page fault")) << verdict.reason;
}

TEST(GpuFaults, TheXidOfAProcessThatWeKilledIsANote) {
  FakeGpus alone, hung;
  alone.fault_xid(0, 45, 0);
  EXPECT_TRUE(has(judged(alone).reason, "XID 45")) << "nobody was killed";
  hung.fault_xid(0, 45, 0, 100);
  hung.fault_hang(0, "launch");
  auto values = json::parse(hung.check(kCheck, json::object(), 3000).values);
  EXPECT_FALSE(has(values["health"][0].get<std::string>(), "XID 45")) << values;
  EXPECT_TRUE(has(values["telemetry"][0]["notes"].dump(), "XID 45")) << values;
}

TEST(GpuFaults, UncorrectedEccErrorsFailTheCheckThatSawThem) {
  FakeGpus gpus;
  gpus.fault_ecc(0, true, 3, 0);
  auto verdict = judged(gpus);
  EXPECT_EQ(verdict.verdict, Verdict::fail);
  EXPECT_TRUE(has(verdict.reason, "3 uncorrected ECC errors")) << verdict.reason;
}

TEST(GpuFaults, HardwareSlowdownFailsAndAPowerCapDoesNot) {
  FakeGpus hot, capped;
  hot.fault_throttle(0, 0x40);
  capped.fault_throttle(0, 0x4);
  EXPECT_TRUE(has(judged(hot).reason, "hw thermal slowdown")) << judged(hot).reason;
  EXPECT_EQ(judged(capped).verdict, Verdict::pass) << judged(capped).reason;
}

TEST(GpuFaults, ANarrowLinkIsSeenUnderLoad) {
  FakeGpus gpus;
  gpus.nvml(0)["pcie_width"] = 8, gpus.nvml(0)["throttle"] = 4;  // busy
  auto telemetry = gpus.values("gmem.bandwidth", {{"mib", 8}})["telemetry"][0];
  EXPECT_EQ(telemetry["pcie"]["width"], 8);
  EXPECT_EQ(telemetry["pcie"]["max_width"], 16);
}

TEST(GpuFaults, ADriverMismatchIsNamedWithWhatToDo) {
  FakeGpus gpus;
  gpus.fault_driver_mismatch();
  auto verdict = by_catalogue(gpus, "gpu.inventory");
  EXPECT_EQ(verdict.verdict, Verdict::error);
  EXPECT_TRUE(has(verdict.reason, "NVML error 18")) << verdict.reason;
  EXPECT_TRUE(has(verdict.reason, "restart, or unload and reload the nvidia modules")) << verdict.reason;
}

TEST(GpuFaults, TimeSlicingIsSeenThrough) {
  FakeGpus gpus;
  gpus.time_slice(4);
  auto verdict = by_catalogue(gpus, "gpu.inventory");
  EXPECT_EQ(verdict.verdict, Verdict::fail);
  EXPECT_TRUE(has(verdict.reason, "time-sliced: 4 logical on 1 physical")) << verdict.reason;
}

TEST(GpuFaults, AHangIsToldByWhatItDidAndTheGpuIsAskedAgain) {
  FakeGpus gpus;
  gpus.fault_hang(0, "launch");
  auto values = json::parse(gpus.check(kCheck, json::object(), 3000).values);
  auto health = values["health"][0].get<std::string>();
  EXPECT_TRUE(has(health, "hung in ")) << health;
  EXPECT_TRUE(has(health, "afterwards a small kernel in a new process: hung")) << health;
}

TEST(GpuFaults, SeriesAreSentOnceASecondIfAskedFor) {
  FakeGpus gpus;
  gpus.fault_hang(0, "launch");
  test::Folder folder;
  test::Agent agent(folder, {gpus.environment(), 0});
  auto job = test::check("c", kCheck, {{"trace", true}});
  job["deadline_ms"] = 2400;
  agent.run(job);
  auto powers =
      std::count_if(agent.seen().begin(), agent.seen().end(), [](auto& f) { return f["t"] == "metric" && f["name"] == "power_w"; });
  EXPECT_GE(powers, 1);
}
