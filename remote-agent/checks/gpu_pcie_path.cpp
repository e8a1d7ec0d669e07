#include "remote-agent/checks/gpu_pcie_path.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/gpu/pci_path.hpp"

namespace vt::checks {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string line_of(const fs::path& file) {
  auto text = agent::read_file(file);
  return text.substr(0, text.find('\n'));
}

std::vector<fs::path> gpus_below(const std::string& sys) {
  std::vector<fs::path> out;
  std::error_code ignored;
  for (auto& device : fs::directory_iterator(sys + "/bus/pci/devices", ignored))
    if (line_of(device.path() / "vendor") == "0x10de" && line_of(device.path() / "class").starts_with("0x03"))
      out.push_back(fs::canonical(device.path(), ignored));
  std::sort(out.begin(), out.end());
  return out;
}

/// The control word of the Access Control Services capability (PCI Express Base Specification, extended capability 0x000D).
enum class Acs { none, redirects, unreadable };
Acs acs_of(const std::string& config) {
  constexpr std::size_t kExtended = 0x100;
  constexpr unsigned kAcs = 0x000D, kRequestRedirect = 1U << 2, kCompletionRedirect = 1U << 3, kEgressControl = 1U << 5;
  if (config.size() <= kExtended) return Acs::unreadable;
  auto word = [&](std::size_t at) {
    return at + 1 < config.size()
               ? static_cast<unsigned char>(config[at]) | static_cast<unsigned>(static_cast<unsigned char>(config[at + 1])) << 8
               : 0U;
  };
  std::size_t at = kExtended;
  for (int steps = 0; at >= kExtended && steps < 64; ++steps, at = word(at + 2) >> 4)
    if (word(at) == kAcs) return word(at + 6) & (kRequestRedirect | kCompletionRedirect | kEgressControl) ? Acs::redirects : Acs::none;
  return Acs::none;
}

}  // namespace

Result<json> pcie_path(const std::string& sys) {
  auto gpus = gpus_below(sys);
  if (gpus.empty()) return fail(Errc::not_found, "no GPU in " + sys + "/bus/pci/devices");
  json out = {{"gpus", gpus.size()}, {"conditions", json::array()}, {"unread", json::array()}};
  std::set<fs::path> bridges;
  for (auto& gpu : gpus) {
    auto type = line_of(gpu / "iommu_group" / "type");
    if (type.starts_with("DMA"))
      out["conditions"].push_back("IOMMU translates for " + gpu.filename().string() + " (group type " + type + ")");
    auto path = gpu::pci_path(sys, gpu.filename());
    if (!path.empty()) bridges.insert(path.begin() + 1, path.end());
  }
  for (auto& bridge : bridges) {
    auto acs = acs_of(agent::read_file(bridge / "config", 4096));
    auto name = bridge.filename().string();
    if (acs == Acs::redirects) out["conditions"].push_back("ACS redirects requests at bridge " + name);
    if (acs == Acs::unreadable) out["unread"].push_back(name);
  }
  return out;
}

Outcome pcie_conditions(const Task&, Reporter&) {
  auto found = pcie_path("/sys");
  if (!found) return {json::object(), "", found.error().what};
  if (auto unread = (*found)["unread"].size(); unread > 0 && (*found)["conditions"].empty())
    return {json::object(), "", "ACS of " + std::to_string(unread) + " bridges could not be read: it needs root"};
  return {std::move(found).take(), "", ""};
}

}  // namespace vt::checks
