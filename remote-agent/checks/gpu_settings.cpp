#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "remote-agent/checks/gpu_nvml.hpp"

// How the GPUs are set, and whether they are at rest. Read only: none of this is ever changed.
namespace vt::checks {

namespace {

using gpu::nvml::Functions, gpu::nvml::Handle, gpu::nvml::Nvml;
using nlohmann::json;
using Pair = std::array<unsigned, 2>;
using Number = gpu::nvml::Code (*Functions::*)(Handle, unsigned*);

std::string name_of(unsigned value, const std::vector<std::string>& names) {
  return value < names.size() ? names[value] : "unknown " + std::to_string(value);
}

Result<std::string> named(const Nvml& nvml, Handle gpu, Number function, const std::vector<std::string>& names) {
  return or_none<unsigned>(nvml.get<unsigned>(function, gpu), [&](auto& value) { return name_of(value, names); });
}

Result<json> modes_of(const Nvml& nvml, Handle gpu) {
  json out;
  auto mig = nvml.pair<unsigned>(&Functions::nvmlDeviceGetMigMode, gpu);
  VT_TRY(out["mig"], or_none<Pair>(mig, [](auto& m) {
           return std::string(m[0] ? "enabled" : "disabled") + (m[0] == m[1] ? "" : ", changes at the next reset");
         }));
  VT_TRY(out["compute"],
         named(nvml, gpu, &Functions::nvmlDeviceGetComputeMode, {"default", "exclusive thread", "prohibited", "exclusive process"}));
  VT_TRY(out["persistence"], named(nvml, gpu, &Functions::nvmlDeviceGetPersistenceMode, {"off", "on"}));
  VT_TRY(out["virtualization"], named(nvml, gpu, &Functions::nvmlDeviceGetVirtualizationMode,
                                      {"none", "pass-through", "vGPU in a virtual machine", "vGPU host", "vSGA host"}));
  return out;
}

/// "ok", "87 % of the default", or "n/a" where the board does not tell both. Below 95 % the GPU is slower than others of its kind.
std::string limit_text(const Result<unsigned>& enforced, const Result<unsigned>& usual) {
  constexpr double kEnough = 0.95;
  if (!enforced || !usual || *usual == 0) return "n/a";
  auto share = static_cast<double>(*enforced) / *usual;
  return share >= kEnough ? "ok" : std::to_string(static_cast<int>(share * 100)) + " % of the default";
}

/// No watts where the board does not tell its limits.
Result<json> limits_of(const Nvml& nvml, Handle gpu) {
  constexpr gpu::nvml::u64 kApplicationClocks = 0x2;
  json out;
  auto enforced = nvml.get<unsigned>(&Functions::nvmlDeviceGetEnforcedPowerLimit, gpu);
  auto usual = nvml.get<unsigned>(&Functions::nvmlDeviceGetPowerManagementDefaultLimit, gpu);
  for (auto* read : {&enforced, &usual})
    if (!*read && read->error().code != Errc::not_found) return fail(read->error());
  if (enforced) out["limit_w"] = *enforced / 1000.0;
  if (usual) out["default_w"] = *usual / 1000.0;
  out["limit"] = limit_text(enforced, usual);
  auto reasons = nvml.get<gpu::nvml::u64>(&Functions::nvmlDeviceGetCurrentClocksEventReasons, gpu);
  VT_TRY(out["clocks"],
         or_none<gpu::nvml::u64>(reasons, [](auto& bits) { return bits & kApplicationClocks ? "held by application clocks" : "free"; }));
  for (auto& [name, type] : {std::pair{"max_sm_mhz", gpu::nvml::sm_clock}, {"max_memory_mhz", gpu::nvml::memory_clock}})
    if (auto mhz = nvml.get<unsigned>(&Functions::nvmlDeviceGetMaxClockInfo, gpu, static_cast<int>(type))) out[name] = *mhz;
  return out;
}

/// "no" or "37 % of the time". NVML tells the share of the last second or less, in which the opening of the driver counts: the
/// least of a few readings is the neighbour's.
std::string busy_text(const Nvml& nvml, Handle gpu) {
  constexpr unsigned kIdle = 5;  // percent
  constexpr int kReadings = 5;
  unsigned least = 100;
  for (int i = 0; i < kReadings && least > kIdle; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    auto use = nvml.get<gpu::nvml::Utilization>(&Functions::nvmlDeviceGetUtilizationRates, gpu);
    if (!use) return "n/a";
    least = std::min(least, use->gpu);
  }
  return least > kIdle ? std::to_string(least) + " % of the time" : "no";
}

Result<json> rest_of(const Nvml& nvml, Handle gpu) {
  constexpr int kDie = 0;
  json out;
  std::vector<gpu::nvml::Process> processes(64);
  auto count = static_cast<unsigned>(processes.size());
  constexpr gpu::nvml::Code kMore = 7;
  if (auto code = nvml.call(&Functions::nvmlDeviceGetComputeRunningProcesses_v3, gpu, &count, processes.data()); code && code != kMore)
    return Nvml::failed(code);
  out["processes"] = count;
  VT_TRY(auto memory, nvml.get<gpu::nvml::Memory>(&Functions::nvmlDeviceGetMemoryInfo, gpu));
  out["used_share"] = static_cast<double>(memory.used) / static_cast<double>(std::max(memory.total, 1ULL));
  out["busy"] = busy_text(nvml, gpu);
  if (auto mw = nvml.get<unsigned>(&Functions::nvmlDeviceGetPowerUsage, gpu)) out["power_w"] = *mw / 1000.0;
  if (auto c = nvml.get<unsigned>(&Functions::nvmlDeviceGetTemperature, gpu, kDie)) out["temperature_c"] = *c;
  return out;
}

Result<json> bar1_of(const Nvml& nvml, Handle gpu) {
  constexpr double kMib = 1024 * 1024;
  VT_TRY(auto bar, nvml.get<gpu::nvml::Bar1>(&Functions::nvmlDeviceGetBAR1MemoryInfo, gpu));
  VT_TRY(auto memory, nvml.get<gpu::nvml::Memory>(&Functions::nvmlDeviceGetMemoryInfo, gpu));
  auto mib = [](gpu::nvml::u64 bytes) { return static_cast<double>(bytes) / kMib; };
  return json{{"bar1_mib", mib(bar.total)}, {"memory_mib", mib(memory.total)}};
}

Result<json> memory_of(const Nvml& nvml, Handle gpu) {
  constexpr double kMib = 1024 * 1024;
  VT_TRY(auto memory, nvml.get<gpu::nvml::Memory>(&Functions::nvmlDeviceGetMemoryInfo, gpu));
  return json{{"memory_mib", static_cast<double>(memory.total) / kMib}};
}

}  // namespace

Outcome gpu_modes(const Task&, Reporter&) { return for_each_gpu(modes_of); }
Outcome gpu_limits(const Task&, Reporter&) { return for_each_gpu(limits_of); }
Outcome gpu_idle(const Task&, Reporter&) { return for_each_gpu(rest_of); }
Outcome gpu_bar1(const Task&, Reporter&) { return for_each_gpu(bar1_of); }
Outcome gpu_memory_size(const Task&, Reporter&) { return for_each_gpu(memory_of); }

}  // namespace vt::checks
