#include <algorithm>
#include <cctype>

#include "remote-agent/probe/probes.hpp"
#include "remote-agent/probe/words.hpp"

namespace vt::probe {
namespace {

/// Entries of a /sys folder; a folder that is missing while its parent is there has none.
Files::Names entries(const Host& host, const std::string& parent, const std::string& name) {
  auto out = host.files.list(parent + "/" + name);
  if (absent(out.error) && host.files.exists(parent)) out.error = 0;
  return out;
}

/// What firmware says when nobody filled it in.
bool placeholder(std::string serial) {
  std::transform(serial.begin(), serial.end(), serial.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* nothing : {"", "0", "none", "not specified", "default string", "system serial number", "to be filled by o.e.m.", "n/a"})
    if (serial == nothing) return true;
  return false;
}

}  // namespace

Answer iommu(const Host& host) {
  const std::string folder = "/sys/kernel/iommu_groups";
  auto groups = entries(host, "/sys/kernel", "iommu_groups");
  if (groups.error) return unreadable(folder, groups.error);
  if (groups.names.empty()) {
    auto units = host.files.list("/sys/class/iommu").names.size();
    return text("off", units == 0 ? "no IOMMU group" : plural(static_cast<std::int64_t>(units), "IOMMU") + ", but no group uses one");
  }
  std::int64_t translated = 0;
  for (auto& group : groups.names) {
    auto path = folder + "/" + group + "/type";
    auto type = host.files.read(path);
    if (type.error) return unreadable(path, type.error);
    if (type.text != "identity") ++translated;
  }
  auto all = static_cast<std::int64_t>(groups.names.size());
  auto evidence = std::to_string(translated) + " of " + plural(all, "IOMMU group") + " translated";
  return text(translated > 0 ? "translated" : "passthrough", evidence);
}

Answer numa_nodes(const Host& host) {
  const std::string path = "/sys/devices/system/node/online";
  auto online = host.files.read(path);
  if (absent(online.error) && host.files.exists("/sys/devices/system/cpu"))
    return number(std::int64_t{1}, "the kernel has no NUMA: one node");
  if (online.error) return unreadable(path, online.error);
  auto nodes = ranges(online.text);
  if (!nodes) return unknown(path + " says '" + online.text + "'");
  return number(static_cast<std::int64_t>(nodes->size()), path + " is " + online.text);
}

Answer nvme(const Host& host) {
  auto drives = entries(host, "/sys/class", "nvme");
  if (drives.error) return unreadable("/sys/class/nvme", drives.error);
  std::int64_t local = 0;  // others are reached over a network
  for (auto& drive : drives.names) {
    auto transport = host.files.read("/sys/class/nvme/" + drive + "/transport");
    if (transport.error || transport.text == "pcie") ++local;
  }
  return number(local, local > 0 ? plural(local, "drive") + " in /sys/class/nvme" : "no drive in /sys/class/nvme");
}

Answer rdma(const Host& host) {
  auto devices = entries(host, "/sys/class", "infiniband");
  if (devices.error) return unreadable("/sys/class/infiniband", devices.error);
  auto n = static_cast<std::int64_t>(devices.names.size());
  return number(n, n > 0 ? plural(n, "device") + " in /sys/class/infiniband" : "no device in /sys/class/infiniband");
}

Answer host_serial(const Host& host) {
  const std::string folder = "/sys/class/dmi/id";
  if (absent(host.files.look(folder)) && host.files.exists("/sys/class")) return text("", "the machine has no DMI tables");
  Answer hidden;
  for (const std::string name : {"product_serial", "chassis_serial"}) {
    auto path = folder + "/" + name;
    auto serial = host.files.read(path);
    if (serial.error && !absent(serial.error)) hidden = hidden.evidence.empty() ? unreadable(path, serial.error) : hidden;
    if (serial.error == 0 && !placeholder(serial.text)) return text(serial.text, path);
  }
  if (!hidden.evidence.empty()) return hidden;
  return host.files.exists(folder) ? text("", "the firmware holds no serial number") : unknown(folder + " is not there");
}

Answer secureboot(const Host& host) {
  const std::string firmware = "/sys/firmware", variables = firmware + "/efi/efivars";
  auto kinds = host.files.list(firmware);
  if (kinds.error) return unreadable(firmware, kinds.error);
  if (kinds.names.empty()) return unknown(firmware + " is empty, as containers see it");
  if (std::find(kinds.names.begin(), kinds.names.end(), "efi") == kinds.names.end()) return no("the machine was not booted by UEFI");
  auto names = host.files.list(variables);
  if (names.error) return unreadable(variables, names.error);
  if (names.names.empty()) return unknown(variables + " is empty: not mounted");
  for (auto& name : names.names) {
    if (!name.starts_with("SecureBoot-")) continue;
    auto value = host.files.read(variables + "/" + name);
    if (value.error) return unreadable(variables + "/" + name, value.error);
    if (value.text.size() != 5) return unknown(name + " has " + std::to_string(value.text.size()) + " bytes, not 5");
    return value.text[4] == 1 ? yes(name + " is 1") : no(name + " is 0");  // after four bytes of attributes
  }
  return no("there is no SecureBoot variable");
}

}  // namespace vt::probe
