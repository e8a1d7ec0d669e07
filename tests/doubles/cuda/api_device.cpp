#include <cstdio>
#include <cstring>

#include "tests/doubles/cuda/runtime.hpp"

using namespace vt::doubles;

namespace {

int count() { return static_cast<int>(host().gpus.size()); }
bool is_device(CUdevice device) { return device >= 0 && device < count(); }
const Gpu& gpu(CUdevice device) { return host().gpus[static_cast<std::size_t>(device)]; }

CUresult need_device(CUdevice device) {
  if (!initialised) return CUDA_ERROR_NOT_INITIALIZED;
  return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/// "00000000:41:00.0" -> 0x41 for `part` 1
int pci_number(const Gpu& of, int part) {
  unsigned domain = 0, bus = 0, device = 0;
  if (std::sscanf(of.pci.c_str(), "%x:%x:%x", &domain, &bus, &device) != 3) return 0;
  return static_cast<int>(part == 0 ? domain : part == 1 ? bus : device);
}

int attribute(const Gpu& of, CUdevice_attribute which) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: return 49152;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE: return 32;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: return 2'407'000;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: return of.multiprocessors;
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING: return 1;
    case CU_DEVICE_ATTRIBUTE_ECC_ENABLED: return of.nvml.value("ecc", false) ? 1 : 0;
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID: return pci_number(of, 0);
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: return pci_number(of, 1);
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID: return pci_number(of, 2);
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: return 14'001'000;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: return 512;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: return static_cast<int>(of.l2);
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: return 1536;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT: return 2;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: return of.sm / 10;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: return of.sm % 10;
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: return of.lacks.count("pools") == 0;
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: return of.lacks.count("virtual") == 0;
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY: return of.lacks.count("managed") == 0;
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH: return of.lacks.count("cooperative") == 0;
    case CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID: return of.numa;
    default: return 0;
  }
}

/// "GPU-1234abcd-…" -> its sixteen bytes
CUuuid uuid_bytes(const std::string& text) {
  CUuuid out{};
  std::size_t digits = 0;
  for (char c : text.substr(std::min<std::size_t>(4, text.size()))) {
    auto at = std::string_view("0123456789abcdef").find(c);
    if (at == std::string_view::npos || digits == 32) continue;
    auto& byte = out.bytes[digits / 2];
    byte = static_cast<char>((static_cast<unsigned char>(byte) << 4) | static_cast<unsigned char>(at));
    ++digits;
  }
  return out;
}

bool can_reach(CUdevice from, CUdevice to) {
  return from != to && host().p2p[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (host().nvml.value("mismatch", false)) return CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
  if (auto* wrong = fault("init", -1)) return static_cast<CUresult>(wrong->code);
  if (count() == 0 || count() > kMostGpus) return CUDA_ERROR_NO_DEVICE;
  initialised = true;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  *version = host().cuda;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* out) {
  if (!initialised) return CUDA_ERROR_NOT_INITIALIZED;
  *out = count();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (auto code = need_device(ordinal)) return code;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  if (auto code = need_device(device)) return code;
  std::snprintf(name, static_cast<std::size_t>(size), "%s", gpu(device).name.c_str());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  if (auto code = need_device(device)) return code;
  *uuid = uuid_bytes(gpu(device).uuid);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  if (auto code = need_device(device)) return code;
  *bytes = gpu(device).memory;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
  if (auto code = need_device(device)) return code;
  *value = attribute(gpu(device), which);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* id, int size, CUdevice device) {
  if (auto code = need_device(device)) return code;
  std::snprintf(id, static_cast<std::size_t>(size), "%04x:%02x:%02x.0", static_cast<unsigned>(pci_number(gpu(device), 0)),
                static_cast<unsigned>(pci_number(gpu(device), 1)), static_cast<unsigned>(pci_number(gpu(device), 2)));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
  if (!initialised) return CUDA_ERROR_NOT_INITIALIZED;
  for (*device = 0; *device < count(); ++*device)
    if (gpu(*device).pci.ends_with(id)) return CUDA_SUCCESS;
  return CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice from, CUdevice to) {
  if (auto code = need_device(from)) return code;
  if (auto code = need_device(to)) return code;
  *can = can_reach(from, to) ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute which, CUdevice from, CUdevice to) {
  if (auto code = need_device(from)) return code;
  if (auto code = need_device(to)) return code;
  *value = which != CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK && can_reach(from, to) ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
  if (auto code = need_device(device)) return code;
  if (fault("context-hang", device)) hang();
  if (state(device).lost) return CUDA_ERROR_NO_DEVICE;
  *out = primary(device);
  std::lock_guard hold((*out)->mutex);
  ++(*out)->retained;
  (*out)->active = true;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  if (auto code = need_device(device)) return code;
  auto* context = primary(device);
  std::lock_guard hold(context->mutex);
  if (context->retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
  context->active = --context->retained > 0;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (auto code = need_device(device)) return code;
  *flags = 0, *active = primary(device)->active ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (!initialised) return CUDA_ERROR_NOT_INITIALIZED;
  current = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  if (!initialised) return CUDA_ERROR_NOT_INITIALIZED;
  *context = current;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  if (auto code = need_context()) return code;
  *device = current->gpu;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  if (auto code = need_context()) return code;
  std::vector<Ticket> all{current->main->last()};
  {
    std::lock_guard hold(current->mutex);
    for (auto* stream : current->streams) all.push_back(stream->queue->last());
  }
  for (auto& ticket : all) ticket.queue->wait(ticket.number);
  return current->ready();
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  if (auto code = need_context()) return code;
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (!peer || peer == current) return CUDA_ERROR_INVALID_CONTEXT;
  if (!can_reach(current->gpu, peer->gpu)) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  std::lock_guard hold(current->mutex);
  return current->peers.insert(peer->gpu).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  if (auto code = need_context()) return code;
  std::lock_guard hold(current->mutex);
  return peer && current->peers.erase(peer->gpu) == 1 ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

}  // extern "C"
