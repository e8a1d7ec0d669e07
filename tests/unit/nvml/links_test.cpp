#include <gtest/gtest.h>

#include <filesystem>

#include "remote-agent/gpu/aer.hpp"
#include "remote-agent/gpu/health.hpp"
#include "remote-agent/gpu/pci_path.hpp"
#include "tests/support/fake_gpus.hpp"
#include "tests/support/temp_dir.hpp"

// What the links of a GPU count.
using namespace vt::gpu;
using vt::test::FakeGpus;
namespace fs = std::filesystem;

namespace {

/// A GPU below a bridge below a root port.
class Sys {
 public:
  Sys() {
    fs::create_directories(folder(kGpu));
    fs::create_directories(dir_ / "bus/pci/devices");
    fs::create_symlink(folder(kGpu), dir_ / "bus/pci/devices/0000:0a:00.0");
  }
  void count(const std::string& device, const std::string& file, const std::string& text) const {
    vt::test::write_file(folder(device) + "/" + file, text);
  }
  [[nodiscard]] std::string root() const { return dir_ / ""; }
  static constexpr const char *kPort = "/0000:00:01.0", *kBridge = "/0000:00:01.0/0000:09:00.0",
                              *kGpu = "/0000:00:01.0/0000:09:00.0/0000:0a:00.0";

 private:
  [[nodiscard]] std::string folder(const std::string& device) const { return dir_ / ("devices/pci0000:00" + device); }
  vt::test::TempDir dir_;
};

Watched quiet() {
  Watched gpu;
  gpu.seconds = 10, gpu.generation = 5, gpu.width = 16;
  return gpu;
}

}  // namespace

TEST(Links, APathHasTheDeviceAndEveryPortAboveIt) {
  Sys sys;
  auto path = pci_path(sys.root(), "00000000:0A:00.0");  // as NVML writes it
  ASSERT_EQ(path.size(), 3U);
  EXPECT_EQ(path[0].filename(), "0000:0a:00.0");
  EXPECT_EQ(path[2].filename(), "0000:00:01.0");
  EXPECT_TRUE(pci_path(sys.root(), "0000:0b:00.0").empty());
  EXPECT_TRUE(pci_path(sys.root(), "../../etc").empty());
}

TEST(Links, ErrorsOfThePortsAboveCountToo) {
  Sys sys;
  EXPECT_FALSE(read_aer(sys.root(), "0000:0a:00.0").fatal) << "what is hidden is not zero";
  sys.count(Sys::kGpu, "aer_dev_fatal", "DLP 0\nTOTAL_ERR_FATAL 0\n");
  sys.count(Sys::kPort, "aer_dev_fatal", "DLP 2\nTOTAL_ERR_FATAL 2\n");
  sys.count(Sys::kBridge, "aer_dev_correctable", "RxErr 5\nBadTLP 1\nTOTAL_ERR_COR 6\n");
  auto counts = read_aer(sys.root(), "0000:0a:00.0");
  EXPECT_EQ(counts.fatal, 2U);
  EXPECT_EQ(counts.correctable, 6U);
  EXPECT_FALSE(counts.nonfatal);
}

TEST(Links, WhatNothingCountsIsNotApplicable) {
  auto told = link_errors(quiet());
  for (auto& text : {told.replays, told.corrected, told.aer, told.nvlink}) EXPECT_EQ(text, "n/a");
}

TEST(Links, CorrectedErrorsAreAMatterOfRateAndOthersAreNot) {
  auto gpu = quiet();
  gpu.before.aer = {100, 7, 1}, gpu.after.aer = {132, 7, 1};
  EXPECT_EQ(link_errors(gpu).corrected, "ok");
  EXPECT_EQ(link_errors(gpu).aer, "none");
  gpu.after.aer = {133, 9, 2};
  EXPECT_EQ(link_errors(gpu).corrected, "33 in 10.0 s");
  EXPECT_EQ(link_errors(gpu).aer, "1 fatal, 2 non-fatal");
  EXPECT_EQ(findings(gpu).faults, std::vector<std::string>{"1 fatal PCIe error (AER)"});
  EXPECT_EQ(findings(gpu).notes.size(), 2U);
  gpu.seconds = 120, gpu.after.aer = {164, 7, 1};
  EXPECT_EQ(link_errors(gpu).corrected, "ok");
}

TEST(Links, ReplaysAreHeldAgainstWhatTheLinkMayHave) {
  auto gpu = quiet();
  gpu.before.pcie_replays = 0, gpu.after.pcie_replays = 31;
  EXPECT_EQ(link_errors(gpu).replays, "ok");
  gpu.after.pcie_replays = 32;
  EXPECT_EQ(link_errors(gpu).replays, "32, 31 allowed");
}

TEST(Links, EveryErrorOnNvlinkIsTold) {
  auto gpu = quiet();
  gpu.before.nvlink_crc = gpu.after.nvlink_crc = 4;
  EXPECT_EQ(link_errors(gpu).nvlink, "none");
  gpu.before.nvlink_recoveries = 0, gpu.after.nvlink_recoveries = 1, gpu.after.nvlink_crc = 6;
  EXPECT_EQ(link_errors(gpu).nvlink, "1 recovered, 2 CRC");
}

/// The agent asks each link, or the fields of NVLink 5, where the driver does not add them up.
TEST(Links, ErrorsOfSingleNvlinksAreAddedUp) {
  FakeGpus four(1);
  four.nvml(0)["nvlinks"] = 4;
  four.fault({{"kind", "counter"}, {"gpu", 0}, {"where", "nvlink_ecc_data"}, {"count", 2}});
  auto values = four.values("cuda.nvrtc");
  EXPECT_EQ(values["telemetry"][0]["links"]["nvlink"], "2 ECC");
  EXPECT_EQ(values["health"][0], "2 NVLink ECC errors");

  FakeGpus five(1);
  five.nvml(0)["nvlinks"] = 18, five.nvml(0)["nvlink_version"] = 5;
  five.nvml(0)["fields"] = {{"215", 7}, {"219", 0}, {"221", 0}};
  five.fault({{"kind", "counter"}, {"gpu", 0}, {"where", "field 215"}});
  values = five.values("cuda.nvrtc");
  EXPECT_EQ(values["telemetry"][0]["links"]["nvlink"], "1 recovered");
  EXPECT_EQ(values["health"][0], "NVLink recovered 1 time");
}

TEST(Links, AGpuIsComparedWithTheCoolestBesideIt) {
  FakeGpus gpus(2);
  gpus.nvml(0)["temperature_c"] = 50, gpus.nvml(1)["temperature_c"] = 68;
  auto telemetry = gpus.values("cuda.nvrtc")["telemetry"];
  EXPECT_EQ(telemetry[0]["temperature_c"]["above_coolest"], 0);
  EXPECT_EQ(telemetry[1]["temperature_c"]["above_coolest"], 18);
}
