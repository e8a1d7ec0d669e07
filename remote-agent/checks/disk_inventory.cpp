#include <filesystem>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/host_files.hpp"

namespace vt::checks {

namespace {

constexpr double kSector = 512;  // what `size` in sysfs counts, whatever the drive's own sectors are

struct Drive {
  std::string name, model, serial, transport, link;
  double bytes = 0;
  bool below = false;    ///< its PCIe link is slower or narrower than both ends can do
  bool unknown = false;  ///< an NVMe drive on PCIe whose link cannot be read
};

/// What a block device hangs on: for NVMe its controller, which the kernel puts below a subsystem where a drive may have several.
std::string controller_of(const std::string& name) {
  auto device = "/sys/block/" + name + "/device";
  if (!name.starts_with("nvme") || !line_of(device + "/transport").empty()) return device;
  for (auto& inside : names_in(device))
    if (!line_of(device + "/" + inside + "/transport").empty()) return device + "/" + inside;
  return device;
}

/// Where the device sits on the bus tells how it is reached, for what names no transport itself.
std::string transport_of(const std::string& controller, const std::string& path) {
  auto own = line_of(controller + "/transport");
  if (!own.empty()) return own;  // NVMe: pcie, tcp, rdma, fc, loop
  for (auto* bus : {"usb", "virtio", "ata", "nvme", "mmc", "vbd"})
    if (path.find(std::string("/") + bus) != std::string::npos) return bus;
  return "scsi";
}

/// The PCI device of an NVMe controller against what it says its link can do. A slower slot looks the same as a bad contact.
void read_link(Drive& drive, const std::string& device) {
  auto speed = number_of(device + "/current_link_speed"), most_speed = number_of(device + "/max_link_speed");
  auto width = number_of(device + "/current_link_width"), most_width = number_of(device + "/max_link_width");
  drive.unknown = !speed || !most_speed || !width || !most_width || *most_width <= 0;
  if (drive.unknown) return;
  auto text = [](double gt, double lanes) {
    auto speed_text = std::to_string(gt);
    return speed_text.substr(0, speed_text.find('.') + 2) + " GT/s x" + std::to_string(static_cast<int>(lanes));
  };
  drive.below = *speed < *most_speed || *width < *most_width;
  drive.link = text(*speed, *width) + (drive.below ? " of " + text(*most_speed, *most_width) : "");
}

/// Drives only: not what the kernel makes of files, memory or other drives (those have no device).
std::vector<Drive> drives() {
  std::vector<Drive> out;
  for (auto& name : names_in("/sys/block")) {
    auto folder = "/sys/block/" + name;
    std::error_code error;
    if (!std::filesystem::exists(folder + "/device", error)) continue;
    auto controller = controller_of(name);
    auto path = std::filesystem::canonical(controller, error).string();
    Drive drive;
    drive.name = name, drive.model = line_of(controller + "/model"), drive.serial = line_of(controller + "/serial");
    drive.transport = transport_of(controller, path);
    if (drive.serial.empty()) drive.serial = line_of(folder + "/serial");  // virtio
    drive.bytes = number_of(folder + "/size").value_or(0) * kSector;
    if (drive.transport == "pcie") read_link(drive, controller + "/device");
    out.push_back(drive);
  }
  return out;
}

std::string told(const Drive& d) {
  auto size = std::to_string(static_cast<std::int64_t>(d.bytes / 1e9)) + " GB";
  auto part = [](const char* what, const std::string& text) { return text.empty() ? "" : std::string(what) + text; };
  return d.name + part(" ", d.model) + ", " + size + ", " + d.transport + part(", serial ", d.serial) + part(", ", d.link);
}

}  // namespace

/// The drives of this machine as sysfs has them. `below_link`: NVMe drives whose PCIe link runs slower or narrower than they can.
Outcome disk_inventory(const Task&, Reporter&) {
  std::vector<std::string> all, below, unknown;
  for (auto& drive : drives()) {
    all.push_back(told(drive));
    if (drive.below) below.push_back(told(drive));
    if (drive.unknown) unknown.push_back(drive.name);
  }
  if (!unknown.empty()) return {{}, "", "the PCIe link of " + unknown.front() + " cannot be read"};
  return {{{"drives", all}, {"count", all.size()}, {"below_link", below.size()}}, "", ""};
}

}  // namespace vt::checks
