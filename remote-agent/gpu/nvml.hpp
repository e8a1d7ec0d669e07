#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "orchestrator/model/result.hpp"
#include "remote-agent/gpu/library.hpp"

/// The part of NVML that we call, declared here so that nothing of NVIDIA's is needed to build. Names, numbers and layouts are the
/// library's ABI as in nvml.h of CUDA 13 (NVIDIA/go-nvml, gen/nvml/nvml.h); functions that a driver does not have answer kNoFunction.
namespace vt::gpu::nvml {

using Code = int;      ///< nvmlReturn_t; 0 = done
using Handle = void*;  ///< nvmlDevice_t
using EventSet = void*;
using u64 = unsigned long long;

constexpr Code kNotSupported = 3, kTimeout = 10, kNoFunction = 13, kLost = 15, kResetRequired = 16, kMismatch = 18;

struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
struct Memory {
  u64 total, free, used;
};
struct Bar1 {
  u64 total, free, used;
};
struct Utilization {
  unsigned gpu, memory;
};
struct Process {
  unsigned pid;
  u64 memory;
  unsigned gpu_instance, compute_instance;
};
struct Event {
  Handle device;
  u64 type, data;
  unsigned gpu_instance, compute_instance;
};
struct Field {
  unsigned id, scope;
  long long timestamp, latency;
  int type;
  Code code;
  union {
    double real;
    unsigned word;
    u64 wide;
  } value;
};
struct Fabric {
  unsigned char cluster[16];
  Code status;
  unsigned clique;
  unsigned char state;  ///< 0 not supported, 1 not started, 2 in progress, 3 completed
};

/// How many of the memory's banks have all, many, some, few or none of their spare rows left.
struct SpareRows {
  unsigned all, high, partial, low, none;
};
/// Degrees that are left until the GPU slows down: the nearest of its thresholds.
struct Margin {
  unsigned version = sizeof(Margin) | 1U << 24;
  int celsius = 0;
};

enum ClockType : int { graphics_clock = 0, sm_clock = 1, memory_clock = 2 };
enum EventType : u64 { double_bit_event = 2, xid_event = 8 };
/// nvmlNvLinkErrorCounter_t, one link's each; NVLink 5 has fields in their place
enum LinkError : int { link_replay = 0, link_recovery = 1, link_crc_flit = 2, link_crc_data = 3, link_ecc_data = 4 };
/// nvmlClocksEventReasons: bits, several at once
enum Throttle : u64 { sw_power_cap = 0x4, hw_slowdown = 0x8, sw_thermal = 0x20, hw_thermal = 0x40, hw_power_brake = 0x80 };
enum FieldId : unsigned {
  nvlink_crc_flit = 38,
  nvlink_crc_data = 45,
  nvlink_replay = 52,
  nvlink_recovery = 59,
  power_policy_ns = 74,    // NVML_FI_DEV_PERF_POLICY_POWER and _THERMAL, the same in all headers; the newer counters by reason are
  thermal_policy_ns = 75,  // 251 to 253 in some and 269 to 271 in others, where 256 to 268 are power smoothing
  nvlink_count = 91,
  nvlink_ecc_data = 160,
  pcie_nonfatal = 179,
  pcie_fatal = 180,
  link5_recoveries = 215,  // NVML_FI_DEV_NVLINK_COUNT_*: of the link that the field's scope names
  link5_effective_errors = 219,
  link5_symbol_errors = 221,
  recovery_action = 230
};

// clang-format off: a table, one function a line: its name, the one it had before, its parameters
#define VT_NVML_FUNCTIONS(X)                                                                                       \
  X(nvmlInit_v2, nvmlInit)                                                                                         \
  X(nvmlSystemGetDriverVersion, , char*, unsigned)                                                                 \
  X(nvmlSystemGetNVMLVersion, , char*, unsigned)                                                                   \
  X(nvmlDeviceGetCount_v2, nvmlDeviceGetCount, unsigned*)                                                          \
  X(nvmlDeviceGetHandleByIndex_v2, nvmlDeviceGetHandleByIndex, unsigned, Handle*)                                  \
  X(nvmlDeviceGetName, , Handle, char*, unsigned)                                                                  \
  X(nvmlDeviceGetUUID, , Handle, char*, unsigned)                                                                  \
  X(nvmlDeviceGetSerial, , Handle, char*, unsigned)                                                                \
  X(nvmlDeviceGetVbiosVersion, , Handle, char*, unsigned)                                                          \
  X(nvmlDeviceGetInforomImageVersion, , Handle, char*, unsigned)                                                   \
  X(nvmlDeviceValidateInforom, , Handle)                                                                           \
  X(nvmlDeviceGetPciInfo_v3, nvmlDeviceGetPciInfo_v2, Handle, PciInfo*)                                            \
  X(nvmlDeviceGetCudaComputeCapability, , Handle, int*, int*)                                                      \
  X(nvmlDeviceGetMemoryInfo, , Handle, Memory*)                                                                    \
  X(nvmlDeviceGetBAR1MemoryInfo, , Handle, Bar1*)                                                                  \
  X(nvmlDeviceGetEccMode, , Handle, unsigned*, unsigned*)                                                          \
  X(nvmlDeviceGetMigMode, , Handle, unsigned*, unsigned*)                                                          \
  X(nvmlDeviceGetPersistenceMode, , Handle, unsigned*)                                                             \
  X(nvmlDeviceGetComputeMode, , Handle, unsigned*)                                                                 \
  X(nvmlDeviceGetVirtualizationMode, , Handle, unsigned*)                                                          \
  X(nvmlDeviceGetPowerUsage, , Handle, unsigned*)                                                                  \
  X(nvmlDeviceGetEnforcedPowerLimit, , Handle, unsigned*)                                                          \
  X(nvmlDeviceGetPowerManagementDefaultLimit, , Handle, unsigned*)                                                 \
  X(nvmlDeviceGetTemperature, , Handle, int, unsigned*)                                                            \
  X(nvmlDeviceGetTemperatureThreshold, , Handle, int, unsigned*)                                                   \
  X(nvmlDeviceGetMarginTemperature, , Handle, Margin*)                                                             \
  X(nvmlDeviceGetNumFans, , Handle, unsigned*)                                                                     \
  X(nvmlDeviceGetFanSpeed_v2, , Handle, unsigned, unsigned*)                                                       \
  X(nvmlDeviceGetClockInfo, , Handle, int, unsigned*)                                                              \
  X(nvmlDeviceGetMaxClockInfo, , Handle, int, unsigned*)                                                           \
  X(nvmlDeviceGetPerformanceState, , Handle, unsigned*)                                                            \
  X(nvmlDeviceGetUtilizationRates, , Handle, Utilization*)                                                         \
  X(nvmlDeviceGetCurrentClocksEventReasons, nvmlDeviceGetCurrentClocksThrottleReasons, Handle, u64*)               \
  X(nvmlDeviceGetCurrPcieLinkGeneration, , Handle, unsigned*)                                                      \
  X(nvmlDeviceGetCurrPcieLinkWidth, , Handle, unsigned*)                                                           \
  X(nvmlDeviceGetMaxPcieLinkGeneration, , Handle, unsigned*)                                                       \
  X(nvmlDeviceGetMaxPcieLinkWidth, , Handle, unsigned*)                                                            \
  X(nvmlDeviceGetPcieReplayCounter, , Handle, unsigned*)                                                           \
  X(nvmlDeviceGetTotalEccErrors, , Handle, int, int, u64*)                                                         \
  X(nvmlDeviceGetRemappedRows, , Handle, unsigned*, unsigned*, unsigned*, unsigned*)                               \
  X(nvmlDeviceGetRowRemapperHistogram, , Handle, SpareRows*)                                                       \
  X(nvmlDeviceGetRetiredPages, , Handle, int, unsigned*, u64*)                                                     \
  X(nvmlDeviceGetRetiredPagesPendingStatus, , Handle, unsigned*)                                                   \
  X(nvmlDeviceGetNvLinkState, , Handle, unsigned, unsigned*)                                                       \
  X(nvmlDeviceGetNvLinkVersion, , Handle, unsigned, unsigned*)                                                     \
  X(nvmlDeviceGetNvLinkErrorCounter, , Handle, unsigned, int, u64*)                                                \
  X(nvmlDeviceGetFieldValues, , Handle, int, Field*)                                                               \
  X(nvmlDeviceGetTopologyCommonAncestor, , Handle, Handle, int*)                                                   \
  X(nvmlDeviceGetP2PStatus, , Handle, Handle, int, int*)                                                           \
  X(nvmlDeviceGetComputeRunningProcesses_v3, nvmlDeviceGetComputeRunningProcesses_v2, Handle, unsigned*, Process*) \
  X(nvmlDeviceGetGpuFabricInfo, , Handle, Fabric*)                                                                 \
  X(nvmlDeviceGetSupportedEventTypes, , Handle, u64*)                                                              \
  X(nvmlEventSetCreate, , EventSet*)                                                                               \
  X(nvmlDeviceRegisterEvents, , Handle, u64, EventSet)                                                             \
  X(nvmlEventSetWait_v2, nvmlEventSetWait, EventSet, Event*, unsigned)
// clang-format on

struct Functions {
#define VT_NVML_MEMBER(name, old, ...) Code (*name)(__VA_ARGS__) = nullptr;
  VT_NVML_FUNCTIONS(VT_NVML_MEMBER)
#undef VT_NVML_MEMBER
};

/// What a code means and what to do about it: "the GPU is lost (it fell off the bus): power the machine off and on".
std::string meaning(Code);

/// NVML of this host, initialised. Reads only. Not ended: the process that asked is short-lived.
class Nvml {
 public:
  /// Errc::not_found: there is no such library; Errc::refused: it says no, and why (a version mismatch, no driver, no permission).
  static Result<Nvml> open();

  template <class... P, class... A>
  Code call(Code (*Functions::*function)(P...), A... arguments) const {
    auto* at = functions_.*function;
    return at ? at(arguments...) : kNoFunction;
  }
  /// What the function stores in its last parameter. Errc::not_found: this GPU or driver has no such thing; Errc::lost: the GPU is
  /// gone or must be reset; Errc::refused: anything else.
  template <class T, class... P, class... A>
  Result<T> get(Code (*Functions::*function)(P...), A... arguments) const {
    T out{};
    if (auto code = call(function, arguments..., &out)) return failed(code);
    return out;
  }
  /// Two numbers, such as current and pending.
  template <class T, class... P>
  Result<std::array<T, 2>> pair(Code (*Functions::*function)(P...), Handle gpu) const {
    std::array<T, 2> out{};
    if (auto code = call(function, gpu, &out[0], &out[1])) return failed(code);
    return out;
  }
  Result<std::string> text(Code (*Functions::*function)(Handle, char*, unsigned), Handle gpu) const;
  Result<std::string> text(Code (*Functions::*function)(char*, unsigned)) const;
  /// `scope`: the link, for fields that are one link's.
  Result<std::uint64_t> field(FieldId, Handle gpu, unsigned scope = 0) const;
  /// Handles in the library's order, which is that of the PCI bus; one that cannot be had says why.
  Result<std::vector<Result<Handle>>> gpus() const;

  static tl::unexpected<Error> failed(Code);

 private:
  Functions functions_;
};

}  // namespace vt::gpu::nvml
