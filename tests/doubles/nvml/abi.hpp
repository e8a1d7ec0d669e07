#pragma once
// The part of NVML's public ABI that the double offers, under the names of nvml.h. Compiled a second time against nvml.h itself where
// that is installed (target vt_nvml_double_abi).
#ifdef VT_AGAINST_NVML_H
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>
#else

using nvmlDevice_t = struct nvmlDevice_st*;
using nvmlEventSet_t = struct nvmlEventSet_st*;

enum nvmlReturn_t : int {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
  NVML_ERROR_TIMEOUT = 10,
  NVML_ERROR_CORRUPTED_INFOROM = 14,
  NVML_ERROR_GPU_IS_LOST = 15,
  NVML_ERROR_LIB_RM_VERSION_MISMATCH = 18,
  NVML_ERROR_ARGUMENT_VERSION_MISMATCH = 25,
};
enum nvmlEnableState_t : unsigned {};
enum nvmlComputeMode_t : unsigned {};
enum nvmlGpuVirtualizationMode_t : unsigned {};
enum nvmlPstates_t : unsigned {};
enum nvmlTemperatureSensors_t : unsigned {};
enum nvmlTemperatureThresholds_t : unsigned {};
enum nvmlClockType_t : unsigned { NVML_CLOCK_GRAPHICS = 0, NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2 };
enum nvmlMemoryErrorType_t : unsigned { NVML_MEMORY_ERROR_TYPE_CORRECTED = 0, NVML_MEMORY_ERROR_TYPE_UNCORRECTED = 1 };
enum nvmlEccCounterType_t : unsigned { NVML_VOLATILE_ECC = 0, NVML_AGGREGATE_ECC = 1 };
enum nvmlNvLinkErrorCounter_t : unsigned {};
enum nvmlPageRetirementCause_t : unsigned {};
enum nvmlGpuTopologyLevel_t : unsigned {};
enum nvmlGpuP2PCapsIndex_t : unsigned {};
enum nvmlGpuP2PStatus_t : unsigned {};
enum nvmlValueType_t : unsigned { NVML_VALUE_TYPE_UNSIGNED_LONG_LONG = 3 };
using nvmlGpuFabricState_t = unsigned char;

struct nvmlPciInfo_t {
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};
struct nvmlMemory_t {
  unsigned long long total, free, used;
};
struct nvmlBAR1Memory_t {
  unsigned long long bar1Total, bar1Free, bar1Used;
};
struct nvmlUtilization_t {
  unsigned gpu, memory;
};
struct nvmlProcessInfo_t {
  unsigned pid;
  unsigned long long usedGpuMemory;
  unsigned gpuInstanceId, computeInstanceId;
};
struct nvmlEventData_t {
  nvmlDevice_t device;
  unsigned long long eventType, eventData;
  unsigned gpuInstanceId, computeInstanceId;
};
union nvmlValue_t {
  double dVal;
  unsigned uiVal;
  unsigned long long ullVal;
};
struct nvmlFieldValue_t {
  unsigned fieldId, scopeId;
  long long timestamp, latencyUsec;
  nvmlValueType_t valueType;
  nvmlReturn_t nvmlReturn;
  nvmlValue_t value;
};
struct nvmlGpuFabricInfo_t {
  unsigned char clusterUuid[16];
  nvmlReturn_t status;
  unsigned cliqueId;
  nvmlGpuFabricState_t state;
};
struct nvmlRowRemapperHistogramValues_t {
  unsigned max, high, partial, low, none;
};
struct nvmlMarginTemperature_t {
  unsigned version;
  int marginTemperature;
};
constexpr unsigned nvmlMarginTemperature_v1 = sizeof(nvmlMarginTemperature_t) | 1U << 24;
constexpr unsigned long long nvmlEventTypeDoubleBitEccError = 2, nvmlEventTypeXidCriticalError = 8;
#endif
