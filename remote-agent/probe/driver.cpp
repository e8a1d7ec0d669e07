#include "remote-agent/probe/probes.hpp"
#include "remote-agent/probe/words.hpp"

namespace vt::probe {
namespace {

const std::string kProc = "/proc/driver/nvidia/version";
const std::string kNone = "\"\"";

/// The line the module says about itself: "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build …".
Files::Text banner(const Host& host) {
  auto read = host.files.read(kProc);
  if (read.error) return read;
  auto first = lines(read.text);
  return {first.empty() ? "" : first.front(), 0};
}

/// Known to be absent only if /proc and /sys would have shown it.
Answer no_module(const Host& host, int error) {
  if (!absent(error)) return unreadable(kProc, error);
  int sys = host.files.look("/sys/module");
  if (sys) return unreadable("/sys/module", sys);
  return text("", "no NVIDIA kernel module is loaded");
}

/// The library puts the CUDA generation before the driver's version: "13.580.95.05".
std::string without_generation(const std::string& version) {
  auto parts = split(version, '.');
  return parts.size() >= 3 && parts[0].size() <= 2 ? version.substr(parts[0].size() + 1) : version;
}

}  // namespace

Nvml ask_nvml(const Host& host) {
  // Initialising NVML without these would load the module or make device nodes.
  bool safe = host.files.exists(kProc) && host.files.exists("/dev/nvidiactl");
  return host.system.nvml(safe, host.limit());
}

Answer driver_version(const Host& host) {
  auto said = banner(host);
  if (!said.error) {
    auto version = version_in(said.text);
    return version.empty() ? unknown(kProc + " says '" + said.text + "'") : text(version, kProc + " says " + version);
  }
  const std::string path = "/sys/module/nvidia/version";
  auto module = host.files.read(path);
  if (!module.error) return text(module.text, path + " says " + module.text);
  return no_module(host, absent(module.error) ? said.error : module.error);
}

Answer driver_modules(const Host& host) {
  auto said = banner(host);
  if (!said.error) {
    bool open = said.text.find("Open Kernel Module") != std::string::npos;
    bool closed = said.text.find("Kernel Module") != std::string::npos;
    if (!closed) return unknown(kProc + " says '" + said.text + "'");
    return text(open ? "open" : "proprietary", kProc + (open ? " says Open Kernel Module" : " does not say Open"));
  }
  const std::string path = "/sys/module/nvidia/taint";
  auto taint = host.files.read(path);
  if (taint.error) return no_module(host, absent(taint.error) ? said.error : taint.error);
  bool proprietary = taint.text.find('P') != std::string::npos;
  return text(proprietary ? "proprietary" : "open", path + (proprietary ? " has P: " : " has no P: ") + taint.text);
}

Answer driver_nvml(const Host& host) {
  auto nvml = ask_nvml(host);
  if (nvml.state == Nvml::State::missing) return text("", "no libnvidia-ml.so.1");
  if (nvml.state == Nvml::State::broken) return unknown("libnvidia-ml.so.1: " + nvml.trouble);
  return text(without_generation(nvml.version), "libnvidia-ml.so.1 says " + nvml.version);
}

Answer gpu_p2p(const Host& host) {
  auto gpus = gpu_logical(host);
  if (!gpus.known()) return gpus;
  if (gpus.value == "0" || gpus.value == "1") return no(gpus.value == "0" ? gpus.evidence : "one GPU has no peer");
  auto nvml = ask_nvml(host);
  if (!nvml.peers) return unknown("NVML does not tell which GPUs may reach each other");
  return *nvml.peers > 0 ? yes("NVML allows it between " + plural(*nvml.peers, "ordered pair") + " of GPUs")
                         : no("NVML allows it between no two GPUs");
}

Answer driver_match(const Host& host) {
  constexpr int kMismatch = 18;  // NVML_ERROR_LIB_RM_VERSION_MISMATCH
  auto module = driver_version(host), library = driver_nvml(host);
  auto nvml = ask_nvml(host);
  if (nvml.init == kMismatch)
    return no("NVML says that driver and library differ (module " + module.value + ", library " + library.value + ")");
  if (!module.known()) return module;
  if (!library.known()) return library;
  if (module.value == kNone) return no(module.evidence);
  if (library.value == kNone) return no("module " + module.value + " is loaded, but there is " + library.evidence);
  if (module.value != library.value) return no("module " + module.value + ", library " + library.value);
  return yes("module and library are " + module.value);
}

}  // namespace vt::probe
