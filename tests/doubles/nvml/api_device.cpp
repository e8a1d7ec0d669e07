#include <algorithm>
#include <chrono>
#include <vector>

#include "tests/doubles/nvml/gpu.hpp"

using namespace vt::doubles;

namespace {

constexpr unsigned long long kMib = 1024 * 1024;

/// A figure of the device in the units of the configuration, times `factor`.
template <class T>
nvmlReturn_t figure(nvmlDevice_t gpu, const char* key, double otherwise, T* out, double factor = 1) {
  if (auto code = ready(gpu)) return code;
  *out = static_cast<T>(static_cast<unsigned>(gpu->value(key, otherwise) * factor));
  return NVML_SUCCESS;
}

/// One that a GeForce does not have, unless the configuration says so.
template <class T>
nvmlReturn_t optional(nvmlDevice_t gpu, const char* key, T* out) {
  if (auto code = ready(gpu)) return code;
  if (!gpu->has(key)) return NVML_ERROR_NOT_SUPPORTED;
  *out = static_cast<T>(gpu->value(key, 0U));
  return NVML_SUCCESS;
}

/// Current and pending, of which the second is as the first unless the configuration says otherwise.
template <class T>
nvmlReturn_t mode(nvmlDevice_t gpu, const std::string& key, T* current, T* pending) {
  if (auto code = optional(gpu, key.c_str(), current)) return code;
  *pending = static_cast<T>(gpu->value((key + "_pending").c_str(), static_cast<unsigned>(*current)));
  return NVML_SUCCESS;
}

unsigned long long ns_since_start() {
  return static_cast<unsigned long long>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

struct Reason {
  unsigned field;
  unsigned long long bit;
};
/// Counters of throttled time and the reasons each counts (nvml.h, NVML_FI_DEV_PERF_POLICY_POWER and _THERMAL).
constexpr Reason kReasons[] = {{74, 0x4}, {75, 0x20 | 0x40}};

constexpr const char* kLinkErrors[] = {"nvlink_replay", "nvlink_recovery", "nvlink_crc_flit", "nvlink_crc_data", "nvlink_ecc_data"};

/// Fields of one link are those of link 0; the other links count nothing.
nvmlReturn_t read_field(const nvmlDevice_st& gpu, unsigned id, unsigned link, unsigned long long& out) {
  constexpr unsigned kNvLinks = 91;
  auto fields = gpu.value("fields", nlohmann::json::object());
  out = 0;
  for (auto& reason : kReasons)
    if (reason.field == id) return out = throttle_bits(gpu) & reason.bit ? ns_since_start() : 0, NVML_SUCCESS;
  if (id == kNvLinks) return out = gpu.value("nvlinks", 0U), NVML_SUCCESS;
  auto name = std::to_string(id);
  if (!fields.contains(name)) return NVML_ERROR_NOT_SUPPORTED;
  return out = link == 0 ? fields[name].get<unsigned long long>() + gained(gpu, "field " + name) : 0, NVML_SUCCESS;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t gpu, int* major, int* minor) {
  if (auto code = ready(gpu)) return code;
  *major = gpu->gpu().sm / 10, *minor = gpu->gpu().sm % 10;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t gpu, nvmlMemory_t* out) {
  if (auto code = ready(gpu)) return code;
  out->total = gpu->gpu().memory, out->used = gpu->value("used_mib", 2ULL) * kMib;
  out->free = out->total - out->used;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetBAR1MemoryInfo(nvmlDevice_t gpu, nvmlBAR1Memory_t* out) {
  if (auto code = ready(gpu)) return code;
  out->bar1Total = gpu->value("bar1_mib", 32768ULL) * kMib, out->bar1Used = 1 * kMib;
  out->bar1Free = out->bar1Total - out->bar1Used;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t gpu, nvmlEnableState_t* current, nvmlEnableState_t* pending) {
  return mode(gpu, "ecc", current, pending);
}
nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t gpu, unsigned* current, unsigned* pending) { return mode(gpu, "mig", current, pending); }
nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t gpu, nvmlEnableState_t* out) { return figure(gpu, "persistence", 1, out); }
nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t gpu, nvmlComputeMode_t* out) { return figure(gpu, "compute_mode", 0, out); }
nvmlReturn_t nvmlDeviceGetVirtualizationMode(nvmlDevice_t gpu, nvmlGpuVirtualizationMode_t* out) {
  return figure(gpu, "virtualization", 0, out);
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t gpu, unsigned* mw) { return figure(gpu, "power_w", 68, mw, 1000); }
nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t gpu, unsigned* mw) { return figure(gpu, "power_limit_w", 575, mw, 1000); }
nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t gpu, unsigned* mw) { return figure(gpu, "power_limit_w", 575, mw, 1000); }
nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t gpu, unsigned* mw) {
  return figure(gpu, "power_default_w", 575, mw, 1000);
}
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t gpu, nvmlTemperatureSensors_t, unsigned* celsius) {
  return figure(gpu, "temperature_c", 41, celsius);
}
nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t gpu, nvmlTemperatureThresholds_t which, unsigned* celsius) {
  constexpr const char* kKeys[] = {"shutdown_c", "slowdown_c", "memory_max_c", "gpu_max_c"};
  constexpr double kUsual[] = {96, 93, 0, 90};
  if (static_cast<unsigned>(which) >= 4 || (kUsual[which] == 0 && gpu && !gpu->has(kKeys[which]))) return NVML_ERROR_NOT_SUPPORTED;
  return figure(gpu, kKeys[which], kUsual[which], celsius);
}

nvmlReturn_t nvmlDeviceGetMarginTemperature(nvmlDevice_t gpu, nvmlMarginTemperature_t* out) {
  if (auto code = ready(gpu)) return code;
  if (out->version != nvmlMarginTemperature_v1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  if (!gpu->has("margin_c")) return NVML_ERROR_NOT_SUPPORTED;
  return out->marginTemperature = gpu->value("margin_c", 0), NVML_SUCCESS;
}

/// A board that is cooled by its chassis has none.
nvmlReturn_t nvmlDeviceGetNumFans(nvmlDevice_t gpu, unsigned* out) {
  auto fans = gpu ? gpu->value("fans_percent", std::vector<unsigned>{44, 44}) : std::vector<unsigned>{};
  if (auto code = ready(gpu)) return code;
  return *out = static_cast<unsigned>(fans.size()), fans.empty() ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetFanSpeed_v2(nvmlDevice_t gpu, unsigned fan, unsigned* percent) {
  if (auto code = ready(gpu)) return code;
  auto fans = gpu->value("fans_percent", std::vector<unsigned>{44, 44});
  if (fan >= fans.size()) return NVML_ERROR_INVALID_ARGUMENT;
  return *percent = fans[fan], NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t gpu, nvmlClockType_t type, unsigned* mhz) {
  return type == NVML_CLOCK_MEM ? figure(gpu, "memory_mhz", 14001, mhz) : figure(gpu, "sm_mhz", 2527, mhz);
}
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t gpu, nvmlClockType_t type, unsigned* mhz) {
  return type == NVML_CLOCK_MEM ? figure(gpu, "max_memory_mhz", 14001, mhz) : figure(gpu, "max_sm_mhz", 3090, mhz);
}
nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t gpu, nvmlPstates_t* out) { return figure(gpu, "pstate", 0, out); }
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t gpu, nvmlUtilization_t* out) {
  if (auto code = figure(gpu, "utilization", 0, &out->gpu)) return code;
  return figure(gpu, "memory_utilization", 0, &out->memory);
}
nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t gpu, unsigned long long* bits) {
  if (auto code = ready(gpu)) return code;
  return *bits = throttle_bits(*gpu), NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t gpu, unsigned long long* bits) {
  return nvmlDeviceGetCurrentClocksEventReasons(gpu, bits);
}

nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t gpu, unsigned* out) { return figure(gpu, "pcie_generation", 5, out); }
nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t gpu, unsigned* out) { return figure(gpu, "pcie_width", 16, out); }
nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t gpu, unsigned* out) { return figure(gpu, "pcie_max_generation", 5, out); }
nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t gpu, unsigned* out) { return figure(gpu, "pcie_max_width", 16, out); }
nvmlReturn_t nvmlDeviceGetPcieReplayCounter(nvmlDevice_t gpu, unsigned* out) {
  if (auto code = figure(gpu, "pcie_replay", 0, out)) return code;
  return *out += static_cast<unsigned>(gained(*gpu, "pcie_replay")), NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t gpu, nvmlMemoryErrorType_t type, nvmlEccCounterType_t, unsigned long long* out) {
  if (auto code = ready(gpu)) return code;
  if (!gpu->value("ecc", 0U)) return NVML_ERROR_NOT_SUPPORTED;
  return *out = ecc_errors(*gpu, type == NVML_MEMORY_ERROR_TYPE_UNCORRECTED), NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t gpu, unsigned* corrected, unsigned* uncorrected, unsigned* pending, unsigned* failed) {
  if (auto code = ready(gpu)) return code;
  if (!gpu->has("remapped")) return NVML_ERROR_NOT_SUPPORTED;
  auto rows = gpu->gpu().nvml["remapped"];
  *corrected = rows.value("corrected", 0U), *uncorrected = rows.value("uncorrected", 0U);
  *pending = rows.value("pending", 0U), *failed = rows.value("failed", 0U);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetRowRemapperHistogram(nvmlDevice_t gpu, nvmlRowRemapperHistogramValues_t* out) {
  if (auto code = ready(gpu)) return code;
  if (!gpu->has("remapped")) return NVML_ERROR_NOT_SUPPORTED;
  auto banks = gpu->gpu().nvml["remapped"].value("banks", std::vector<unsigned>{640, 0, 0, 0, 0});
  *out = {banks.at(0), banks.at(1), banks.at(2), banks.at(3), banks.at(4)};
  return NVML_SUCCESS;
}

/// All of them are told for the first cause (single bit errors), none for the second.
nvmlReturn_t nvmlDeviceGetRetiredPages(nvmlDevice_t gpu, nvmlPageRetirementCause_t cause, unsigned* count, unsigned long long* addresses) {
  unsigned pages = 0;
  if (auto code = optional(gpu, "retired_pages", &pages)) return code;
  if (static_cast<unsigned>(cause) != 0) pages = 0;
  auto room = *count;
  *count = pages;
  if (pages > room) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (unsigned i = 0; addresses && i < pages; ++i) addresses[i] = i * 0x10000ULL;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetRetiredPagesPendingStatus(nvmlDevice_t gpu, nvmlEnableState_t* out) {
  return optional(gpu, "retired_pending", out);
}

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t gpu, unsigned link, nvmlEnableState_t* out) {
  if (auto code = ready(gpu)) return code;
  if (link >= gpu->value("nvlinks", 0U)) return gpu->has("nvlinks") ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_NOT_SUPPORTED;
  auto down = gpu->value("nvlinks_down", std::vector<unsigned>{});
  *out = static_cast<nvmlEnableState_t>(std::find(down.begin(), down.end(), link) == down.end() ? 1 : 0);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetNvLinkVersion(nvmlDevice_t gpu, unsigned link, unsigned* out) {
  nvmlEnableState_t ignored;
  if (auto code = nvmlDeviceGetNvLinkState(gpu, link, &ignored)) return code;
  return figure(gpu, "nvlink_version", 4, out);
}

/// Up to NVLink 4; the errors are those of link 0.
nvmlReturn_t nvmlDeviceGetNvLinkErrorCounter(nvmlDevice_t gpu, unsigned link, nvmlNvLinkErrorCounter_t counter, unsigned long long* out) {
  nvmlEnableState_t ignored;
  if (auto code = nvmlDeviceGetNvLinkState(gpu, link, &ignored)) return code;
  if (gpu->value("nvlink_version", 4U) > 4 || static_cast<unsigned>(counter) >= std::size(kLinkErrors)) return NVML_ERROR_NOT_SUPPORTED;
  return *out = link == 0 ? gained(*gpu, kLinkErrors[counter]) : 0, NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t gpu, int count, nvmlFieldValue_t* values) {
  if (auto code = ready(gpu)) return code;
  for (int i = 0; i < count; ++i) {
    values[i].valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
    values[i].nvmlReturn = read_field(*gpu, values[i].fieldId, values[i].scopeId, values[i].value.ullVal);
  }
  return NVML_SUCCESS;
}

/// Each as {"pid": 4711, "memory_mib": 512}.
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t gpu, unsigned* count, nvmlProcessInfo_t* out) {
  if (auto code = ready(gpu)) return code;
  auto all = gpu->value("processes", nlohmann::json::array());
  auto room = *count;
  *count = static_cast<unsigned>(all.size());
  if (*count > room) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (auto& one : all) *out++ = {one.value("pid", 1U), one.value("memory_mib", 0ULL) * kMib, 0, 0};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t gpu, nvmlGpuFabricInfo_t* out) {
  *out = {};
  return optional(gpu, "fabric_state", &out->state);
}

}  // extern "C"
