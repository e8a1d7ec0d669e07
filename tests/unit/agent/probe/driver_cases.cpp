#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {
namespace {

const std::string kVersion = "/proc/driver/nvidia/version";

void open_module(Scene& s) {
  s.file(kVersion,
         "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (builder@host)  Tue Sep 23 09:55:41 UTC 2025\n"
         "GCC version:  gcc version 13.3.0 (Ubuntu 13.3.0-6ubuntu2)\n");
  s.file("/dev/nvidiactl", "");
}
void closed_module(Scene& s) {
  s.file(kVersion, "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024\n");
}
std::function<void(Scene&)> nvml(Nvml answer, std::function<void(Scene&)> module = open_module) {
  return [=](Scene& s) {
    module(s);
    s.system.nvml = [answer](bool init, System::Limit) {
      auto out = answer;
      if (!init) out.init.reset();
      return out;
    };
  };
}
Nvml library(const std::string& version, std::optional<int> init = 0) { return {Nvml::State::loaded, "", version, init}; }
void nothing(Scene&) {}
void two_gpus(Scene& s) {
  open_module(s);
  s.file("/dev/nvidia0", "").file("/dev/nvidia1", "");
}
Nvml told(std::optional<int> peers) { return {Nvml::State::loaded, "", "13.580.95.05", 0, "12.0", peers}; }

}  // namespace

std::vector<Case> driver_cases() {
  return {
      {"DriverOpenVersion", driver_version, open_module, "\"580.95.05\"", "580.95.05"},
      {"DriverClosedVersion", driver_version, closed_module, "\"550.54.14\"", "550.54.14"},
      {"DriverFromSys", driver_version, [](Scene& s) { s.file("/sys/module/nvidia/version", "570.86.15\n"); }, "\"570.86.15\"",
       "/sys/module/nvidia/version"},
      {"DriverNone", driver_version, nothing, "\"\"", "no NVIDIA kernel module is loaded"},
      {"DriverUnreadable", driver_version, [](Scene& s) { s.deny(kVersion); }, "", kVersion + ": "},
      {"DriverOddText", driver_version, [](Scene& s) { s.file(kVersion, "hello\n"); }, "", "says 'hello'"},
      {"DriverNoSys", driver_version, [](Scene& s) { s.remove("/sys"); }, "", "/sys/module: "},

      {"FlavourOpen", driver_modules, open_module, "\"open\"", "Open Kernel Module"},
      {"FlavourProprietary", driver_modules, closed_module, "\"proprietary\"", "does not say Open"},
      {"FlavourByTaintOpen", driver_modules, [](Scene& s) { s.file("/sys/module/nvidia/taint", "OE\n"); }, "\"open\"", "has no P: OE"},
      {"FlavourByTaintProprietary", driver_modules, [](Scene& s) { s.file("/sys/module/nvidia/taint", "POE\n"); }, "\"proprietary\"",
       "has P: POE"},
      {"FlavourNone", driver_modules, nothing, "\"\"", "no NVIDIA kernel module"},
      {"FlavourUnreadable", driver_modules, [](Scene& s) { s.deny(kVersion); }, "", kVersion + ": "},
      {"FlavourOddText", driver_modules, [](Scene& s) { s.file(kVersion, "hello\n"); }, "", "says 'hello'"},

      {"NvmlVersion", driver_nvml, nvml(library("13.580.95.05")), "\"580.95.05\"", "says 13.580.95.05"},
      {"NvmlPlainVersion", driver_nvml, nvml(library("570.86.15")), "\"570.86.15\"", "says 570.86.15"},
      {"NvmlMissing", driver_nvml, nvml({}), "\"\"", "no libnvidia-ml.so.1"},
      {"NvmlHangs", driver_nvml, nvml({Nvml::State::broken, "loading it took longer than 400 ms", "", {}}), "", "took longer"},

      {"PeersOfTwo", gpu_p2p, nvml(told(2), two_gpus), "true", "2 ordered pairs"},
      {"PeersOfNone", gpu_p2p, nvml(told(0), two_gpus), "false", "no two GPUs"},
      {"PeersUnknown", gpu_p2p, nvml(told(std::nullopt), two_gpus), "", "does not tell"},
      {"PeersOfOneGpu", gpu_p2p, nvml(told(0)), "false", "no /dev/nvidia*"},
      {"CapabilityAsNvmlSays", gpu_capability, nvml(told(0)), "\"12.0\"", "NVML says 12.0"},

      {"MatchYes", driver_match, nvml(library("13.580.95.05")), "true", "580.95.05"},
      {"MatchNvmlSaysNo", driver_match, nvml(library("13.580.95.05", 18)), "false", "NVML says that driver and library differ"},
      {"MatchVersionsDiffer", driver_match, nvml(library("12.570.86.15")), "false", "library \"570.86.15\""},
      {"MatchNotInitialisedWithoutNodes", driver_match, nvml(library("12.550.54.14", 18), closed_module), "true", "550.54.14"},
      {"MatchNoModule", driver_match, nvml(library("13.580.95.05"), nothing), "false", "no NVIDIA kernel module"},
      {"MatchNoLibrary", driver_match, nvml({}), "false", "no libnvidia-ml.so.1"},
      {"MatchLibraryUnknown", driver_match, nvml({Nvml::State::broken, "loading it crashed", "", {}}), "", "crashed"},
      {"MatchModuleUnknown", driver_match, nvml(library("13.580.95.05"), [](Scene& s) { s.deny(kVersion); }), "", kVersion + ": "},
  };
}

}  // namespace vt::probe
