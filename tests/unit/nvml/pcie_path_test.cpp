#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "remote-agent/checks/gpu_pcie_path.hpp"
#include "tests/support/temp_dir.hpp"

using nlohmann::json;
using vt::checks::pcie_path;
namespace fs = std::filesystem;

namespace {

/// Two GPUs below one bridge of one root port.
class Sys {
 public:
  Sys() {
    fs::create_directories(dir_ / "bus/pci/devices");
    for (auto* gpu : {"0000:41:00.0", "0000:42:00.0"}) {
      auto path = port() + "/" + gpu;
      fs::create_directories(path + "/iommu_group");
      vt::test::write_file(path + "/vendor", "0x10de\n");
      vt::test::write_file(path + "/class", "0x030000\n");
      set_group(gpu, "identity");
      fs::create_symlink(path, dir_ / (std::string("bus/pci/devices/") + gpu));
    }
    set_acs(0);
  }
  void set_group(const std::string& gpu, const std::string& type) const {
    vt::test::write_file(port() + "/" + gpu + "/iommu_group/type", type + "\n");
  }
  /// A configuration space with another capability before Access Control Services.
  void set_acs(char control) const {
    std::string config(0x200, '\0');
    config[0x100] = 0x01, config[0x102] = 0x01, config[0x103] = 0x15;  // advanced errors, next at 0x150
    config[0x150] = 0x0D, config[0x152] = 0x01, config[0x156] = control;
    vt::test::write_file(port() + "/config", config);
  }
  void set_config(const std::string& config) const { vt::test::write_file(port() + "/config", config); }
  [[nodiscard]] const std::string& path() const { return dir_.path(); }

 private:
  [[nodiscard]] std::string port() const { return dir_ / "devices/pci0000:40/0000:40:01.1"; }
  vt::test::TempDir dir_;
};

}  // namespace

TEST(PciePath, NothingInTheWay) {
  Sys sys;
  auto found = pcie_path(sys.path());
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ((*found)["gpus"], 2);
  EXPECT_EQ((*found)["conditions"], json::array());
  EXPECT_EQ((*found)["unread"], json::array());
}

TEST(PciePath, ATranslatingIommuIsNamedWithItsGpu) {
  Sys sys;
  sys.set_group("0000:42:00.0", "DMA-FQ");
  EXPECT_EQ(pcie_path(sys.path()).value()["conditions"], json({"IOMMU translates for 0000:42:00.0 (group type DMA-FQ)"}));
}

TEST(PciePath, AcsRedirectionIsNamedWithItsBridge) {
  Sys sys;
  sys.set_acs(0x1d);
  EXPECT_EQ(pcie_path(sys.path()).value()["conditions"], json({"ACS redirects requests at bridge 0000:40:01.1"}));
  sys.set_acs(0x11);  // source validation and upstream forwarding redirect nothing
  EXPECT_EQ(pcie_path(sys.path()).value()["conditions"], json::array());
}

TEST(PciePath, WhatNeedsRootIsNotTakenForNothing) {
  Sys sys;
  sys.set_config(std::string(64, '\0'));
  EXPECT_EQ(pcie_path(sys.path()).value()["unread"], json({"0000:40:01.1"}));
}

TEST(PciePath, ACapabilityListThatLoopsEnds) {
  Sys sys;
  std::string config(0x200, '\0');
  config[0x100] = 0x01, config[0x102] = 0x01, config[0x103] = 0x10;  // next: itself
  sys.set_config(config);
  EXPECT_EQ(pcie_path(sys.path()).value()["conditions"], json::array());
}

TEST(PciePath, AHostWithoutGpusIsAnError) {
  vt::test::TempDir empty;
  EXPECT_FALSE(pcie_path(empty.path()));
}
