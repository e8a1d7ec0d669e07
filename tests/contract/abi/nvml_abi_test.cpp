// Ours of NVML against nvml.h and against the library.
#include "remote-agent/gpu/nvml.hpp"

#include "remote-agent/gpu/health.hpp"
#include "tests/contract/abi/alike.hpp"
#include "tests/contract/abi/vendor.hpp"

using namespace vt;

#ifdef VT_NVML_H
#define NVML_NO_UNVERSIONED_FUNC_DEFS  // names as the library exports them, not renamed by macros
#include <nvml.h>

namespace {

namespace nvml = gpu::nvml;

// Older names are declared for whoever wants them; what is called by them must have the same parameters.
#define VT_SAME(name, old, ...) static_assert(test::kSameCall<decltype(nvml::Functions::name), decltype(&::name)>, #name);
VT_NVML_FUNCTIONS(VT_SAME)
#undef VT_SAME
#define VT_SAME_OLD(ours, theirs) static_assert(test::kSameCall<decltype(nvml::Functions::ours), decltype(&::theirs)>, #theirs)
VT_SAME_OLD(nvmlDeviceGetPciInfo_v3, nvmlDeviceGetPciInfo_v2);
VT_SAME_OLD(nvmlDeviceGetComputeRunningProcesses_v3, nvmlDeviceGetComputeRunningProcesses_v2);
VT_SAME_OLD(nvmlDeviceGetCurrentClocksEventReasons, nvmlDeviceGetCurrentClocksThrottleReasons);
VT_SAME_OLD(nvmlEventSetWait_v2, nvmlEventSetWait);

VT_SAME_SIZE(nvml::PciInfo, nvmlPciInfo_t);
VT_SAME_MEMBER(nvml::PciInfo, legacy_bus_id, nvmlPciInfo_t, busIdLegacy);
VT_SAME_MEMBER(nvml::PciInfo, domain, nvmlPciInfo_t, domain);
VT_SAME_MEMBER(nvml::PciInfo, bus, nvmlPciInfo_t, bus);
VT_SAME_MEMBER(nvml::PciInfo, device, nvmlPciInfo_t, device);
VT_SAME_MEMBER(nvml::PciInfo, device_id, nvmlPciInfo_t, pciDeviceId);
VT_SAME_MEMBER(nvml::PciInfo, subsystem_id, nvmlPciInfo_t, pciSubSystemId);
VT_SAME_MEMBER(nvml::PciInfo, bus_id, nvmlPciInfo_t, busId);
VT_SAME_SIZE(nvml::Memory, nvmlMemory_t);
VT_SAME_MEMBER(nvml::Memory, total, nvmlMemory_t, total);
VT_SAME_MEMBER(nvml::Memory, free, nvmlMemory_t, free);
VT_SAME_MEMBER(nvml::Memory, used, nvmlMemory_t, used);
VT_SAME_SIZE(nvml::Bar1, nvmlBAR1Memory_t);
VT_SAME_MEMBER(nvml::Bar1, total, nvmlBAR1Memory_t, bar1Total);
VT_SAME_MEMBER(nvml::Bar1, free, nvmlBAR1Memory_t, bar1Free);
VT_SAME_MEMBER(nvml::Bar1, used, nvmlBAR1Memory_t, bar1Used);
VT_SAME_SIZE(nvml::Utilization, nvmlUtilization_t);
VT_SAME_MEMBER(nvml::Utilization, gpu, nvmlUtilization_t, gpu);
VT_SAME_MEMBER(nvml::Utilization, memory, nvmlUtilization_t, memory);
VT_SAME_SIZE(nvml::Process, nvmlProcessInfo_t);
VT_SAME_MEMBER(nvml::Process, pid, nvmlProcessInfo_t, pid);
VT_SAME_MEMBER(nvml::Process, memory, nvmlProcessInfo_t, usedGpuMemory);
VT_SAME_MEMBER(nvml::Process, gpu_instance, nvmlProcessInfo_t, gpuInstanceId);
VT_SAME_MEMBER(nvml::Process, compute_instance, nvmlProcessInfo_t, computeInstanceId);
VT_SAME_SIZE(nvml::Event, nvmlEventData_t);
VT_SAME_MEMBER(nvml::Event, device, nvmlEventData_t, device);
VT_SAME_MEMBER(nvml::Event, type, nvmlEventData_t, eventType);
VT_SAME_MEMBER(nvml::Event, data, nvmlEventData_t, eventData);
VT_SAME_MEMBER(nvml::Event, gpu_instance, nvmlEventData_t, gpuInstanceId);
VT_SAME_MEMBER(nvml::Event, compute_instance, nvmlEventData_t, computeInstanceId);
VT_SAME_SIZE(nvml::Field, nvmlFieldValue_t);
VT_SAME_MEMBER(nvml::Field, id, nvmlFieldValue_t, fieldId);
VT_SAME_MEMBER(nvml::Field, scope, nvmlFieldValue_t, scopeId);
VT_SAME_MEMBER(nvml::Field, timestamp, nvmlFieldValue_t, timestamp);
VT_SAME_MEMBER(nvml::Field, latency, nvmlFieldValue_t, latencyUsec);
VT_SAME_MEMBER(nvml::Field, type, nvmlFieldValue_t, valueType);
VT_SAME_MEMBER(nvml::Field, code, nvmlFieldValue_t, nvmlReturn);
VT_SAME_MEMBER(nvml::Field, value, nvmlFieldValue_t, value);
VT_SAME_SIZE(nvml::Fabric, nvmlGpuFabricInfo_t);
VT_SAME_MEMBER(nvml::Fabric, cluster, nvmlGpuFabricInfo_t, clusterUuid);
VT_SAME_MEMBER(nvml::Fabric, status, nvmlGpuFabricInfo_t, status);
VT_SAME_MEMBER(nvml::Fabric, clique, nvmlGpuFabricInfo_t, cliqueId);
VT_SAME_MEMBER(nvml::Fabric, state, nvmlGpuFabricInfo_t, state);
VT_SAME_SIZE(nvml::SpareRows, nvmlRowRemapperHistogramValues_t);
VT_SAME_MEMBER(nvml::SpareRows, all, nvmlRowRemapperHistogramValues_t, max);
VT_SAME_MEMBER(nvml::SpareRows, high, nvmlRowRemapperHistogramValues_t, high);
VT_SAME_MEMBER(nvml::SpareRows, partial, nvmlRowRemapperHistogramValues_t, partial);
VT_SAME_MEMBER(nvml::SpareRows, low, nvmlRowRemapperHistogramValues_t, low);
VT_SAME_MEMBER(nvml::SpareRows, none, nvmlRowRemapperHistogramValues_t, none);
VT_SAME_SIZE(nvml::Margin, nvmlMarginTemperature_t);
VT_SAME_MEMBER(nvml::Margin, version, nvmlMarginTemperature_t, version);
VT_SAME_MEMBER(nvml::Margin, celsius, nvmlMarginTemperature_t, marginTemperature);

VT_SAME_VALUE(nvml::kNotSupported, NVML_ERROR_NOT_SUPPORTED);
VT_SAME_VALUE(nvml::kTimeout, NVML_ERROR_TIMEOUT);
VT_SAME_VALUE(nvml::kNoFunction, NVML_ERROR_FUNCTION_NOT_FOUND);
VT_SAME_VALUE(nvml::kLost, NVML_ERROR_GPU_IS_LOST);
VT_SAME_VALUE(nvml::kResetRequired, NVML_ERROR_RESET_REQUIRED);
VT_SAME_VALUE(nvml::kMismatch, NVML_ERROR_LIB_RM_VERSION_MISMATCH);
VT_SAME_VALUE(nvml::graphics_clock, NVML_CLOCK_GRAPHICS);
VT_SAME_VALUE(nvml::sm_clock, NVML_CLOCK_SM);
VT_SAME_VALUE(nvml::memory_clock, NVML_CLOCK_MEM);
VT_SAME_VALUE(nvml::double_bit_event, nvmlEventTypeDoubleBitEccError);
VT_SAME_VALUE(nvml::xid_event, nvmlEventTypeXidCriticalError);
VT_SAME_VALUE(nvml::link_replay, NVML_NVLINK_ERROR_DL_REPLAY);
VT_SAME_VALUE(nvml::link_recovery, NVML_NVLINK_ERROR_DL_RECOVERY);
VT_SAME_VALUE(nvml::link_crc_flit, NVML_NVLINK_ERROR_DL_CRC_FLIT);
VT_SAME_VALUE(nvml::link_crc_data, NVML_NVLINK_ERROR_DL_CRC_DATA);
VT_SAME_VALUE(nvml::link_ecc_data, NVML_NVLINK_ERROR_DL_ECC_DATA);
VT_SAME_VALUE(nvml::sw_power_cap, nvmlClocksEventReasonSwPowerCap);
VT_SAME_VALUE(nvml::hw_slowdown, nvmlClocksThrottleReasonHwSlowdown);
VT_SAME_VALUE(nvml::sw_thermal, nvmlClocksEventReasonSwThermalSlowdown);
VT_SAME_VALUE(nvml::hw_thermal, nvmlClocksThrottleReasonHwThermalSlowdown);
VT_SAME_VALUE(nvml::hw_power_brake, nvmlClocksThrottleReasonHwPowerBrakeSlowdown);
VT_SAME_VALUE(nvml::nvlink_crc_flit, NVML_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL);
VT_SAME_VALUE(nvml::nvlink_crc_data, NVML_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL);
VT_SAME_VALUE(nvml::nvlink_replay, NVML_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL);
VT_SAME_VALUE(nvml::nvlink_recovery, NVML_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL);
VT_SAME_VALUE(nvml::power_policy_ns, NVML_FI_DEV_PERF_POLICY_POWER);
VT_SAME_VALUE(nvml::thermal_policy_ns, NVML_FI_DEV_PERF_POLICY_THERMAL);
VT_SAME_VALUE(nvml::nvlink_count, NVML_FI_DEV_NVLINK_LINK_COUNT);
VT_SAME_VALUE(nvml::nvlink_ecc_data, NVML_FI_DEV_NVLINK_ECC_DATA_ERROR_COUNT_TOTAL);
VT_SAME_VALUE(nvml::pcie_nonfatal, NVML_FI_DEV_PCIE_COUNT_NON_FATAL_ERROR);
VT_SAME_VALUE(nvml::pcie_fatal, NVML_FI_DEV_PCIE_COUNT_FATAL_ERROR);
VT_SAME_VALUE(nvml::link5_recoveries, NVML_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_EVENTS);
VT_SAME_VALUE(nvml::link5_effective_errors, NVML_FI_DEV_NVLINK_COUNT_EFFECTIVE_ERRORS);
VT_SAME_VALUE(nvml::link5_symbol_errors, NVML_FI_DEV_NVLINK_COUNT_SYMBOL_ERRORS);
VT_SAME_VALUE(nvml::recovery_action, NVML_FI_DEV_GET_GPU_RECOVERY_ACTION);

// Numbers that are used where they are needed (remote-agent/checks, remote-agent/gpu/health.cpp and monitor.cpp), and lists of names by
// number.
VT_SAME_VALUE(7, NVML_ERROR_INSUFFICIENT_SIZE);
VT_SAME_VALUE(14, NVML_ERROR_CORRUPTED_INFOROM);
VT_SAME_VALUE(0, NVML_VOLATILE_ECC);
VT_SAME_VALUE(0, NVML_MEMORY_ERROR_TYPE_CORRECTED);
VT_SAME_VALUE(1, NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
VT_SAME_VALUE(0, NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS);
VT_SAME_VALUE(1, NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR);
VT_SAME_VALUE(0, NVML_TEMPERATURE_GPU);
VT_SAME_VALUE(1, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN);
VT_SAME_VALUE(0x1, nvmlClocksEventReasonGpuIdle);
VT_SAME_VALUE(0x2, nvmlClocksEventReasonApplicationsClocksSetting);
VT_SAME_VALUE(0, NVML_VALUE_TYPE_DOUBLE);
VT_SAME_VALUE(1, NVML_VALUE_TYPE_UNSIGNED_INT);
VT_SAME_VALUE(1, NVML_COMPUTEMODE_EXCLUSIVE_THREAD);
VT_SAME_VALUE(2, NVML_COMPUTEMODE_PROHIBITED);
VT_SAME_VALUE(3, NVML_COMPUTEMODE_EXCLUSIVE_PROCESS);
VT_SAME_VALUE(1, NVML_GPU_VIRTUALIZATION_MODE_PASSTHROUGH);
VT_SAME_VALUE(2, NVML_GPU_VIRTUALIZATION_MODE_VGPU);
VT_SAME_VALUE(3, NVML_GPU_VIRTUALIZATION_MODE_HOST_VGPU);
VT_SAME_VALUE(4, NVML_GPU_VIRTUALIZATION_MODE_HOST_VSGA);
VT_SAME_VALUE(0, NVML_TOPOLOGY_INTERNAL);
VT_SAME_VALUE(10, NVML_TOPOLOGY_SINGLE);
VT_SAME_VALUE(20, NVML_TOPOLOGY_MULTIPLE);
VT_SAME_VALUE(30, NVML_TOPOLOGY_HOSTBRIDGE);
VT_SAME_VALUE(40, NVML_TOPOLOGY_NODE);
VT_SAME_VALUE(50, NVML_TOPOLOGY_SYSTEM);
VT_SAME_VALUE(0, NVML_P2P_CAPS_INDEX_READ);
VT_SAME_VALUE(1, NVML_P2P_CAPS_INDEX_WRITE);
VT_SAME_VALUE(0, NVML_P2P_STATUS_OK);
VT_SAME_VALUE(1, NVML_P2P_STATUS_CHIPSET_NOT_SUPPORTED);
VT_SAME_VALUE(2, NVML_P2P_STATUS_GPU_NOT_SUPPORTED);
VT_SAME_VALUE(3, NVML_P2P_STATUS_IOH_TOPOLOGY_NOT_SUPPORTED);
VT_SAME_VALUE(4, NVML_P2P_STATUS_DISABLED_BY_REGKEY);
VT_SAME_VALUE(5, NVML_P2P_STATUS_NOT_SUPPORTED);
VT_SAME_VALUE(1, NVML_GPU_FABRIC_STATE_NOT_STARTED);
VT_SAME_VALUE(2, NVML_GPU_FABRIC_STATE_IN_PROGRESS);
VT_SAME_VALUE(3, NVML_GPU_FABRIC_STATE_COMPLETED);
VT_SAME_VALUE(1, NVML_GPU_RECOVERY_ACTION_GPU_RESET);
VT_SAME_VALUE(2, NVML_GPU_RECOVERY_ACTION_NODE_REBOOT);
VT_SAME_VALUE(3, NVML_GPU_RECOVERY_ACTION_DRAIN_P2P);
VT_SAME_VALUE(4, NVML_GPU_RECOVERY_ACTION_DRAIN_AND_RESET);

TEST(NvmlAbi, StructVersionsAreThoseOfTheHeader) { EXPECT_EQ(nvml::Margin{}.version, nvmlMarginTemperature_v1); }
TEST(NvmlAbi, ConstantsOfTheDoubleAreThoseOfTheHeader) { test::expect_same_constants("nvml", VT_NVML_H, {"NVML_", "nvmlEventType"}); }

}  // namespace
#else
TEST(NvmlAbi, StructVersionsAreThoseOfTheHeader) { GTEST_SKIP() << "there was no nvml.h"; }
TEST(NvmlAbi, ConstantsOfTheDoubleAreThoseOfTheHeader) { GTEST_SKIP() << "there was no nvml.h"; }
#endif

/// What an older driver lacks is answered with kNoFunction; of the toolkit's stub or the driver here nothing is missing.
TEST(NvmlAbi, EveryFunctionIsInTheLibrary) {
  VT_OPEN_VENDOR(library, "/usr/local/cuda/lib64/stubs/libnvidia-ml.so", "libnvidia-ml.so.1");
#define VT_NAME(name, ...) #name,
  EXPECT_EQ(test::missing_in(*library, {VT_NVML_FUNCTIONS(VT_NAME)}), "");
#undef VT_NAME
}
