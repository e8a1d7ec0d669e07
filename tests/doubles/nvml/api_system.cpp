#include <cstdio>
#include <cstring>
#include <string>

#include "tests/doubles/nvml/gpu.hpp"

using namespace vt::doubles;

namespace {

nvmlReturn_t told(const std::string& text, char* out, unsigned size) {
  if (text.size() >= size) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return NVML_SUCCESS;
}

nvmlReturn_t usable() { return host().nvml.value("mismatch", false) ? NVML_ERROR_LIB_RM_VERSION_MISMATCH : NVML_SUCCESS; }

/// A text of the device; not supported where it is empty.
nvmlReturn_t text_of(nvmlDevice_t device, const std::string& text, char* out, unsigned size) {
  if (auto code = ready(device)) return code;
  return text.empty() ? NVML_ERROR_NOT_SUPPORTED : told(text, out, size);
}

/// GPUs of one board in MIG or time-sliced are one physical device, which NVML shows once.
bool is_first_of_board(unsigned ordinal) {
  for (unsigned i = 0; i < ordinal; ++i)
    if (device(i)->gpu().uuid == device(ordinal)->gpu().uuid) return false;
  return true;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlInit_v2() { return usable(); }
nvmlReturn_t nvmlInitWithFlags(unsigned) { return usable(); }
nvmlReturn_t nvmlShutdown() { return NVML_SUCCESS; }
const char* nvmlErrorString(nvmlReturn_t code) { return code == NVML_SUCCESS ? "Success" : "Failure"; }

nvmlReturn_t nvmlSystemGetDriverVersion(char* out, unsigned size) {
  if (auto code = usable()) return code;
  return told(host().driver, out, size);
}
nvmlReturn_t nvmlSystemGetNVMLVersion(char* out, unsigned size) {
  return told(std::to_string(host().cuda / 1000) + "." + host().driver, out, size);
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* out) { return *out = host().cuda, NVML_SUCCESS; }

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* out) {
  if (auto code = usable()) return code;
  *out = 0;
  for (unsigned i = 0; i < device_count(); ++i) *out += is_first_of_board(i);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* out) {
  for (unsigned i = 0, board = 0; i < device_count(); ++i) {
    if (!is_first_of_board(i) || board++ != index) continue;
    *out = device(i);
    return ready(*out);
  }
  return NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* out) {
  for (unsigned i = 0; i < device_count(); ++i)
    if (device(i)->gpu().uuid == uuid) return *out = device(i), ready(*out);
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* id, nvmlDevice_t* out) {
  for (unsigned i = 0; i < device_count(); ++i)
    if (device(i)->gpu().pci.ends_with(id)) return *out = device(i), ready(*out);
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t gpu, unsigned* out) {
  if (auto code = ready(gpu)) return code;
  return *out = static_cast<unsigned>(gpu->ordinal), NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t gpu, unsigned* out) { return nvmlDeviceGetIndex(gpu, out); }

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t gpu, char* out, unsigned size) { return text_of(gpu, gpu ? gpu->gpu().name : "", out, size); }
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t gpu, char* out, unsigned size) { return text_of(gpu, gpu ? gpu->gpu().uuid : "", out, size); }
nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t gpu, char* out, unsigned size) {
  return text_of(gpu, gpu ? gpu->gpu().serial : "", out, size);
}
nvmlReturn_t nvmlDeviceGetVbiosVersion(nvmlDevice_t gpu, char* out, unsigned size) {
  return text_of(gpu, gpu ? gpu->value<std::string>("vbios", "98.02.2E.00.AF") : "", out, size);
}
nvmlReturn_t nvmlDeviceGetInforomImageVersion(nvmlDevice_t gpu, char* out, unsigned size) {
  return text_of(gpu, gpu ? gpu->value<std::string>("inforom", "G001.0000.03.04") : "", out, size);
}
nvmlReturn_t nvmlDeviceValidateInforom(nvmlDevice_t gpu) {
  if (auto code = ready(gpu)) return code;
  return gpu->value("inforom_valid", true) ? NVML_SUCCESS : NVML_ERROR_CORRUPTED_INFOROM;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t gpu, nvmlPciInfo_t* out) {
  if (auto code = ready(gpu)) return code;
  *out = {};
  auto& id = gpu->gpu().pci;
  std::sscanf(id.c_str(), "%x:%x:%x", &out->domain, &out->bus, &out->device);
  std::snprintf(out->busId, sizeof out->busId, "%s", id.c_str());
  std::snprintf(out->busIdLegacy, sizeof out->busIdLegacy, "%s", id.substr(id.size() > 12 ? 4 : 0).c_str());
  constexpr unsigned kRtx5090 = 0x2b8510de;
  out->pciDeviceId = gpu->value("pci_device", kRtx5090), out->pciSubSystemId = gpu->value("pci_subsystem", 0u);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t a, nvmlDevice_t b, nvmlGpuTopologyLevel_t* out) {
  if (auto code = ready(a)) return code;
  if (auto code = ready(b)) return code;
  constexpr unsigned kHostBridge = 30;
  *out = static_cast<nvmlGpuTopologyLevel_t>(host().nvml.value("topology", kHostBridge));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t a, nvmlDevice_t b, nvmlGpuP2PCapsIndex_t, nvmlGpuP2PStatus_t* out) {
  if (auto code = ready(a)) return code;
  if (auto code = ready(b)) return code;
  constexpr unsigned kChipsetNotSupported = 1;
  auto can = host().p2p[static_cast<std::size_t>(a->ordinal)][static_cast<std::size_t>(b->ordinal)];
  *out = static_cast<nvmlGpuP2PStatus_t>(can ? 0 : host().nvml.value("p2p_status", kChipsetNotSupported));
  return NVML_SUCCESS;
}

}  // extern "C"
