#include "remote-agent/checks/disk_smart.hpp"

#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/host_files.hpp"

namespace vt::checks {

namespace {

constexpr std::uint8_t kGetLogPage = 0x02;
constexpr std::uint32_t kSmartLog = 0x02, kWholeController = 0xFFFFFFFF, kTimeoutMs = 5000;
constexpr int kKelvin = 273;

std::uint64_t little_endian(const SmartPage& page, std::size_t at, std::size_t bytes) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < bytes; i++) out |= static_cast<std::uint64_t>(page[at + i]) << (8 * i);
  return out;
}

/// Asks the controller. Reading the page changes nothing (retain asynchronous event is set: bit 15 of dword 10).
std::optional<SmartPage> ask(const std::string& device, std::string& why) {
  agent::Fd fd(open(device.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return why = std::strerror(errno), std::nullopt;
  SmartPage page{};
  nvme_admin_cmd command{};
  command.opcode = kGetLogPage;
  command.nsid = kWholeController;
  command.addr = reinterpret_cast<std::uint64_t>(page.data());
  command.data_len = page.size();
  command.cdw10 = (static_cast<std::uint32_t>(page.size() / 4 - 1) << 16) | (1U << 15) | kSmartLog;
  command.timeout_ms = kTimeoutMs;
  auto status = ioctl(fd.get(), NVME_IOCTL_ADMIN_CMD, &command);
  if (status == 0) return page;
  why = status < 0 ? std::strerror(errno) : "NVMe status " + std::to_string(status);
  return std::nullopt;
}

/// Controllers on this machine's own bus ("nvme0"); others are reached over a network and are not its hardware.
std::vector<std::string> controllers() {
  std::vector<std::string> out;
  for (auto& name : names_in("/sys/class/nvme"))
    if (auto transport = line_of("/sys/class/nvme/" + name + "/transport"); transport.empty() || transport == "pcie") out.push_back(name);
  return out;
}

}  // namespace

Smart read_smart(const SmartPage& page) {
  Smart out;
  out.critical_warning = page[0];
  out.temperature_c = static_cast<int>(little_endian(page, 1, 2)) - kKelvin;
  out.spare_percent = page[3], out.spare_threshold_percent = page[4], out.used_percent = page[5];
  out.power_on_hours = little_endian(page, 128, 8);
  out.unsafe_shutdowns = little_endian(page, 144, 8);
  out.media_errors = little_endian(page, 160, 8);
  return out;
}

/// The health page of every NVMe controller: one list entry each.
Outcome disk_smart(const Task&, Reporter&) {
  Outcome out;
  auto& v = out.values;
  for (auto* name : {"drives", "critical_warning", "media_errors", "used_percent", "spare_percent", "temperature_c", "power_on_hours"})
    v[name] = nlohmann::json::array();
  for (auto& name : controllers()) {
    std::string why;
    auto page = ask("/dev/" + name, why);
    if (!page) return {{}, "", "cannot read the health of /dev/" + name + ": " + why};
    auto smart = read_smart(*page);
    v["drives"].push_back(name + " " + line_of("/sys/class/nvme/" + name + "/model"));
    v["critical_warning"].push_back(smart.critical_warning);
    v["media_errors"].push_back(smart.media_errors);
    v["used_percent"].push_back(smart.used_percent);
    v["spare_percent"].push_back(smart.spare_percent);
    v["temperature_c"].push_back(smart.temperature_c);
    v["power_on_hours"].push_back(smart.power_on_hours);
  }
  if (v["drives"].empty()) return {{}, "", "no NVMe drive"};
  return out;
}

}  // namespace vt::checks
