#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "remote-agent/probe/probes.hpp"
#include "remote-agent/probe/words.hpp"

namespace vt::probe {
namespace {

const std::string kPci = "/sys/bus/pci/devices";
const std::string kDriverGpus = "/proc/driver/nvidia/gpus";

bool all_digits(const std::string& s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isdigit(c); });
}
bool is_gpu_node(const std::string& name) { return name.starts_with("nvidia") && all_digits(name.substr(6)); }

/// A count, or why there is none.
struct Counted {
  std::int64_t n = 0;
  Answer trouble;
  [[nodiscard]] bool known() const { return trouble.evidence.empty(); }
};

Counted gpus_on_pci(const Host& host) {
  auto devices = host.files.list(kPci);
  if (absent(devices.error) && host.files.exists("/sys/bus")) return {};  // a machine without PCI
  if (devices.error) return {0, unreadable(kPci, devices.error)};
  Counted out;
  for (auto& device : devices.names) {
    auto vendor = host.files.read(kPci + "/" + device + "/vendor"), kind = host.files.read(kPci + "/" + device + "/class");
    if (vendor.error || kind.error) return {0, unreadable(kPci + "/" + device, vendor.error ? vendor.error : kind.error)};
    if (vendor.text == "0x10de" && kind.text.starts_with("0x03")) ++out.n;
  }
  return out;
}

/// Compute capability by the upper byte of the PCI device id, which NVIDIA gives by chip (the PCI ID repository): no library is
/// asked, so no GPU is woken.
std::string capability_of(const std::string& device) {
  static const std::map<std::string, std::string> known = {{"1d", "7.0"},  {"1e", "7.5"},  {"1f", "7.5"},  {"20", "8.0"},  {"21", "7.5"},
                                                           {"22", "8.6"},  {"23", "9.0"},  {"24", "8.6"},  {"25", "8.6"},  {"26", "8.9"},
                                                           {"27", "8.9"},  {"28", "8.9"},  {"29", "10.0"}, {"2b", "12.0"}, {"2c", "12.0"},
                                                           {"2d", "12.0"}, {"2f", "12.0"}, {"31", "10.3"}};
  auto found = device.size() >= 4 ? known.find(device.substr(2, 2)) : known.end();
  return found == known.end() ? "" : found->second;
}

Counted gpus_of_driver(const Host& host) {
  auto listed = host.files.list(kDriverGpus);
  if (absent(listed.error)) return {};
  if (listed.error) return {0, unreadable(kDriverGpus, listed.error)};
  return {static_cast<std::int64_t>(listed.names.size()), {}};
}

std::vector<std::string> gpu_nodes(const Files::Names& dev) {
  std::vector<std::string> out;
  std::copy_if(dev.names.begin(), dev.names.end(), std::back_inserter(out), is_gpu_node);
  return out;
}

/// Compute instances of one GPU: capabilities/gpu0/mig/gi1/ci0.
std::int64_t instances(const Host& host, const std::string& gpu) {
  std::int64_t n = 0;
  for (auto& gi : host.files.list(gpu + "/mig").names)
    if (gi.starts_with("gi"))
      for (auto& ci : host.files.list(gpu + "/mig/" + gi).names) n += ci.starts_with("ci") ? 1 : 0;
  return n;
}

struct Mig {
  std::int64_t gpus = 0, devices = 0;  ///< GPUs that have compute instances; those instances
};

Mig mig(const Host& host) {
  const std::string path = "/proc/driver/nvidia/capabilities";
  Mig out;
  for (auto& gpu : host.files.list(path).names) {
    auto n = gpu.starts_with("gpu") ? instances(host, path + "/" + gpu) : 0;
    out.gpus += n > 0 ? 1 : 0;
    out.devices += n;
  }
  return out;
}

/// What the container's creator asked for; a login session does not inherit it, process 1 has it.
std::optional<std::string> visible_devices(const Host& host) {
  const std::string name = "NVIDIA_VISIBLE_DEVICES";
  auto container = virt_container(host);
  if (!container.known() || container.value == "\"\"") return std::nullopt;
  if (auto own = host.system.environment(name); !own.empty()) return own;
  for (auto& variable : split(host.files.read("/proc/1/environ").text, '\0'))
    if (variable.starts_with(name + "=")) return variable.substr(name.size() + 1);
  return std::nullopt;
}

/// Device nodes say what is there; NVIDIA_VISIBLE_DEVICES can only hide some, or name one twice (time-slicing).
Answer limited_by_container(std::int64_t devices, const std::string& evidence, const std::string& visible) {
  auto said = evidence + ", NVIDIA_VISIBLE_DEVICES=" + visible;
  if (visible == "all" || visible == "void" || visible.empty()) return number(devices, said);
  if (visible == "none") return number(std::int64_t{0}, said);
  auto named = split(visible, ',');
  std::set<std::string> distinct(named.begin(), named.end());
  auto usable = std::min(devices, static_cast<std::int64_t>(distinct.size()));
  return number(usable + static_cast<std::int64_t>(named.size() - distinct.size()), said);
}

struct Openers {
  std::int64_t processes = 0, hidden = 0;
};

bool opens_gpu(const Host& host, const std::string& folder, const std::vector<std::string>& descriptors) {
  return std::any_of(descriptors.begin(), descriptors.end(), [&](auto& fd) {
    auto target = host.files.link(folder + "/" + fd).text;
    if (!target.starts_with("/dev/")) return false;
    auto device = target.substr(5);
    return is_gpu_node(device) || device == "nvidia-uvm";
  });
}

/// nvidia-persistenced holds every GPU open without using it.
bool only_keeps_awake(const Host& host, const std::string& process) {
  return host.files.read(process + "/comm").text.starts_with("nvidia-persiste");
}

Openers openers(const Host& host, const std::vector<std::string>& processes) {
  Openers out;
  for (auto& pid : processes) {
    if (!all_digits(pid)) continue;
    auto folder = "/proc/" + pid + "/fd";
    auto descriptors = host.files.list(folder);
    if (descriptors.error && !absent(descriptors.error)) ++out.hidden;  // absent: it has just ended
    if (opens_gpu(host, folder, descriptors.names) && !only_keeps_awake(host, "/proc/" + pid)) ++out.processes;
  }
  return out;
}

}  // namespace

Answer gpu_physical(const Host& host) {
  auto pci = gpus_on_pci(host), driver = gpus_of_driver(host);
  if (pci.known() && driver.known() && driver.n > pci.n)
    return number(driver.n, "the driver lists " + std::to_string(driver.n) + ", /sys shows only " + std::to_string(pci.n));
  if (!pci.known()) return driver.known() && driver.n > 0 ? number(driver.n, "listed in " + kDriverGpus) : pci.trouble;
  if (pci.n == 0) return number(pci.n, "no PCI device of vendor 10de and class 03");
  auto evidence = plural(pci.n, "NVIDIA GPU") + " on PCI (vendor 10de, class 03)";
  if (driver.known() && driver.n < pci.n) evidence += ", the driver has " + std::to_string(driver.n);
  return number(pci.n, evidence);
}

Answer gpu_capability(const Host& host) {
  if (auto nvml = ask_nvml(host); !nvml.capability.empty()) return text(nvml.capability, "NVML says " + nvml.capability);
  auto counted = gpus_on_pci(host);
  if (!counted.known()) return counted.trouble;
  if (counted.n == 0) return text("", "no PCI device of vendor 10de and class 03");
  std::string lowest, from;
  for (auto& device : host.files.list(kPci).names) {
    auto path = kPci + "/" + device;
    if (host.files.read(path + "/vendor").text != "0x10de" || !host.files.read(path + "/class").text.starts_with("0x03")) continue;
    auto id = host.files.read(path + "/device");
    auto capability = id.error ? "" : capability_of(id.text);
    if (capability.empty()) return id.error ? unreadable(path + "/device", id.error) : unknown(path + "/device says " + id.text);
    if (lowest.empty() || std::stod(capability) < std::stod(lowest)) lowest = capability, from = path + "/device says " + id.text;
  }
  return text(lowest, from);
}

Answer gpu_logical(const Host& host) {
  auto dev = host.files.list("/dev");
  if (dev.error) return unreadable("/dev", dev.error);
  auto nodes = static_cast<std::int64_t>(gpu_nodes(dev).size());
  bool control = std::find(dev.names.begin(), dev.names.end(), "nvidiactl") != dev.names.end();
  if (nodes == 0) return number(std::int64_t{0}, "no /dev/nvidia* device nodes");
  if (!control) return number(std::int64_t{0}, plural(nodes, "device node") + ", but no /dev/nvidiactl");
  auto split_up = mig(host);
  auto whole = std::max<std::int64_t>(nodes - split_up.gpus, 0);
  auto evidence = plural(nodes, "/dev/nvidia* device node");
  if (split_up.devices > 0) evidence += ", " + plural(split_up.devices, "MIG device");
  auto visible = visible_devices(host);
  return visible ? limited_by_container(whole + split_up.devices, evidence, *visible) : number(whole + split_up.devices, evidence);
}

Answer gpu_mig(const Host& host) {
  const std::string path = "/proc/driver/nvidia/capabilities";
  auto physical = gpu_physical(host);
  if (physical.value == "0") return no(physical.evidence);
  auto listed = host.files.list(path);
  if (listed.error) return unreadable(path, listed.error);
  auto seen = mig(host);
  return seen.gpus > 0 ? yes(plural(seen.devices, "MIG device") + " in " + path) : no("no MIG device in " + path);
}

Answer gpu_timeslicing(const Host& host) {
  auto physical = gpu_physical(host), logical = gpu_logical(host), parts = gpu_mig(host);
  for (auto& needed : {physical, logical})
    if (!needed.known()) return needed;
  auto evidence = logical.value + " logical, " + physical.value + " physical";
  if (integer(logical.value).value_or(0) <= integer(physical.value).value_or(0)) return no(evidence);
  if (parts.is_true()) return no(evidence + ", " + parts.evidence);
  return parts.known() ? yes(evidence + ", no MIG") : parts;
}

Answer gpu_processes(const Host& host) {
  auto dev = host.files.list("/dev"), processes = host.files.list("/proc");
  if (dev.error) return unreadable("/dev", dev.error);
  if (gpu_nodes(dev).empty()) return number(std::int64_t{0}, "no /dev/nvidia* device nodes to open");
  if (processes.error) return unreadable("/proc", processes.error);
  auto seen = openers(host, processes.names);
  auto evidence = plural(seen.processes, "process") + " with a GPU open";
  if (initial_pid_namespace(host).is_false()) evidence += " in this pid namespace";
  if (seen.hidden == 0) return number(seen.processes, evidence);
  auto hidden = plural(seen.hidden, "process") + " may not be looked at";
  return seen.processes > 0 ? number(seen.processes, "at least " + evidence + ", " + hidden) : unknown(evidence + ", but " + hidden);
}

}  // namespace vt::probe
