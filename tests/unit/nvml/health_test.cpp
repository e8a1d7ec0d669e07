#include <gtest/gtest.h>

#include "remote-agent/gpu/health.hpp"

using namespace vt::gpu;
using Texts = std::vector<std::string>;

namespace {

Watched healthy() {
  Watched gpu;
  gpu.seconds = 10;
  gpu.before.ecc_uncorrected = gpu.after.ecc_uncorrected = 5;  // what was before is not this check's
  gpu.before.pcie_replays = gpu.after.pcie_replays = 100;
  gpu.generation = 5, gpu.width = 16;
  return gpu;
}

}  // namespace

TEST(GpuHealth, WhatWasBeforeIsNoFault) {
  EXPECT_EQ(findings(healthy()).faults, Texts{});
  EXPECT_EQ(findings(healthy()).notes, Texts{});
  EXPECT_EQ(findings(Watched{}).faults, Texts{});  // a board that counts nothing
}

TEST(GpuHealth, EccErrorsOfTheCheckCount) {
  auto gpu = healthy();
  gpu.after.ecc_uncorrected = 8;
  EXPECT_EQ(findings(gpu).faults, Texts{"3 uncorrected ECC errors"});
  gpu = healthy();
  gpu.before.ecc_corrected = 1, gpu.after.ecc_corrected = 2;
  EXPECT_EQ(findings(gpu).faults, Texts{});
  EXPECT_EQ(findings(gpu).notes, Texts{"1 corrected ECC error"});
}

TEST(GpuHealth, ACounterThatWasResetDidNotGrow) {
  auto gpu = healthy();
  gpu.after.ecc_uncorrected = 0;
  EXPECT_EQ(findings(gpu).faults, Texts{});
}

TEST(GpuHealth, RowsThatCannotBeRemappedCount) {
  auto gpu = healthy();
  gpu.before.remap_pending = gpu.before.remap_failed = 0;
  gpu.after.remap_pending = 1, gpu.after.remap_failed = 0;
  EXPECT_EQ(findings(gpu).faults, Texts{"a memory row waits for a reset to be remapped"});
  gpu.after.remap_failed = 1, gpu.after.remap_pending = 0;
  EXPECT_EQ(findings(gpu).faults, Texts{"a memory row could not be remapped"});
}

TEST(GpuHealth, AnXidIsToldOnceAndByItsClass) {
  auto gpu = healthy();
  gpu.xids = {79, 63, 79, 106};
  auto found = findings(gpu);
  ASSERT_EQ(found.faults.size(), 1U);
  EXPECT_TRUE(found.faults[0].starts_with("XID 79: fell off the bus"));
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_TRUE(found.notes[0].starts_with("XID 63"));
}

TEST(GpuHealth, ASoftwarePowerCapIsNoFaultAndHardwareSlowdownIs) {
  auto gpu = healthy();
  gpu.throttled = {{"sw power cap", 9.0}};
  EXPECT_EQ(findings(gpu).faults, Texts{});
  gpu.throttled = {{"hw thermal slowdown", 2.0}};
  EXPECT_EQ(findings(gpu).faults, Texts{"hw thermal slowdown 2.0 s"});
}

TEST(GpuHealth, SoftwareThermalSlowdownMayBeOneHundredthOfTheTime) {
  auto gpu = healthy();
  gpu.throttled = {{"sw thermal slowdown", 0.1}};
  EXPECT_EQ(findings(gpu).faults, Texts{});
  gpu.throttled = {{"sw thermal slowdown", 0.11}};
  EXPECT_EQ(findings(gpu).faults, Texts{"sw thermal slowdown 0.1 s"});
}

TEST(GpuHealth, CountedNanosecondsBeatSamples) {
  auto gpu = healthy();
  gpu.throttled = {{"sw thermal slowdown", 0.2}};
  gpu.before.thermal_policy_ns = 1'000'000'000, gpu.after.thermal_policy_ns = 8'000'000'000;
  EXPECT_EQ(findings(gpu).faults, Texts{"sw thermal slowdown 7.0 s"});
  gpu.after.thermal_policy_ns = 13'000'000'000;  // more than went by: no time at all
  EXPECT_EQ(findings(gpu).faults, Texts{"sw thermal slowdown 0.2 s"});
}

TEST(GpuHealth, AFewMillisecondsAreANote) {
  auto gpu = healthy();
  gpu.seconds = 0.1;
  gpu.before.thermal_policy_ns = 0, gpu.after.thermal_policy_ns = 9'000'000;
  EXPECT_EQ(findings(gpu).faults, Texts{});
  EXPECT_EQ(findings(gpu).notes, Texts{"sw thermal slowdown 0.009 s"});
}

TEST(GpuHealth, HwSlowdownAloneCountsFromTwoSamplesInARow) {
  auto gpu = healthy();
  gpu.throttled = {{"hw slowdown", 0.2}}, gpu.slowdown_run = 1;
  EXPECT_EQ(findings(gpu).faults, Texts{});
  EXPECT_EQ(findings(gpu).notes, Texts{"hw slowdown 0.2 s"});
  gpu.slowdown_run = 2;
  EXPECT_EQ(findings(gpu).faults, Texts{"hw slowdown 0.2 s"});
}

TEST(GpuHealth, AKilledProcessLeavesXidsThatAreNoFault) {
  auto gpu = healthy();
  gpu.xids = {45, 43};
  EXPECT_EQ(findings(gpu).faults, Texts{});
  EXPECT_EQ(findings(gpu).of_a_kill.size(), 2U);
  gpu.xids = {45, 79};
  EXPECT_EQ(findings(gpu).faults.size(), 2U) << "there is another cause";
  EXPECT_EQ(findings(gpu).of_a_kill, Texts{});
}

TEST(GpuHealth, ReplaysUpToABitErrorRateAreNoFault) {
  auto gpu = healthy();
  gpu.after.pcie_replays = 131;  // 16 lanes of generation 5: 31 a minute
  EXPECT_EQ(findings(gpu).notes, Texts{"31 PCIe replays"});
  gpu.after.pcie_replays = 132;
  EXPECT_EQ(findings(gpu).faults, Texts{"32 PCIe replays"});
}

TEST(GpuHealth, NvlinkRecoveriesAndFloodsOfCrcErrorsCount) {
  auto gpu = healthy();
  gpu.before.nvlink_crc = gpu.before.nvlink_recoveries = 0;
  gpu.after.nvlink_recoveries = 0, gpu.after.nvlink_crc = 1000;
  EXPECT_EQ(findings(gpu).faults, Texts{});
  gpu.after.nvlink_crc = 1001, gpu.after.nvlink_recoveries = 1;
  EXPECT_EQ(findings(gpu).faults, (Texts{"NVLink recovered 1 time", "1001 NVLink CRC errors"}));
}

TEST(GpuHealth, AGpuThatIsLostIsToldByNvmlsWords) {
  auto gpu = healthy();
  gpu.lost = nvml::meaning(nvml::kLost);
  ASSERT_EQ(findings(gpu).faults.size(), 1U);
  EXPECT_TRUE(findings(gpu).faults[0].starts_with("NVML error 15: the GPU is lost"));
}
