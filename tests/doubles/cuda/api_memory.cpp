#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "tests/doubles/cuda/copy.hpp"
#include "tests/doubles/cuda/runtime.hpp"

using namespace vt::doubles;

namespace {

void* pointer(CUdeviceptr at) { return reinterpret_cast<void*>(at); }

}  // namespace

extern "C" {

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  if (auto code = need_context()) return code;
  *free = current->memory.left(), *total = host().gpus[static_cast<std::size_t>(current->gpu)].memory;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr* at, std::size_t bytes) {
  if (auto code = need_context()) return code;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  *at = reinterpret_cast<CUdeviceptr>(current->memory.allocate(bytes));
  return *at ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemFree_v2(CUdeviceptr at) {
  if (auto code = need_context()) return code;
  if (at == 0) return CUDA_SUCCESS;
  auto device = device_of(pointer(at));
  return device >= 0 && primary(device)->memory.free(pointer(at)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostAlloc(void** at, std::size_t bytes, unsigned) {
  if (auto code = need_context()) return code;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  constexpr std::size_t kPage = 4096;
  *at = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  if (!*at) return CUDA_ERROR_OUT_OF_MEMORY;
  pin(*at, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void** at, std::size_t bytes) { return cuMemHostAlloc(at, bytes, 0); }

CUresult cuMemFreeHost(void* at) {
  if (auto code = need_context()) return code;
  if (!unpin(at)) return CUDA_ERROR_INVALID_VALUE;
  std::free(at);
  return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void* at, std::size_t bytes, unsigned) {
  if (auto code = need_context()) return code;
  if (is_pinned(at)) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  pin(at, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void* at) {
  if (auto code = need_context()) return code;
  return unpin(at) ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* device, void* at, unsigned) {
  if (auto code = need_context()) return code;
  *device = reinterpret_cast<CUdeviceptr>(at);
  return is_pinned(at) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute which, CUdeviceptr at) {
  if (auto code = need_context()) return code;
  auto device = device_of(pointer(at));
  if (device < 0 && !is_pinned(pointer(at))) return CUDA_ERROR_INVALID_VALUE;
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *static_cast<CUcontext*>(data) = device < 0 ? current : primary(device); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *static_cast<unsigned*>(data) = device < 0 ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: *static_cast<void**>(data) = pointer(at); break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *static_cast<int*>(data) = std::max(0, device); break;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t n) { return copy(pointer(to), pointer(from), n, nullptr, true); }
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t n, CUstream s) {
  return copy(pointer(to), pointer(from), n, s, false);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t n) { return copy(pointer(to), from, n, nullptr, true); }
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t n, CUstream s) { return copy(pointer(to), from, n, s, false); }
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t n) { return copy(to, pointer(from), n, nullptr, true); }
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t n, CUstream s) { return copy(to, pointer(from), n, s, false); }
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t n) { return cuMemcpy(to, from, n); }
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t n, CUstream s) { return cuMemcpyAsync(to, from, n, s); }
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t n) { return cuMemcpy(to, from, n); }
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t n, CUstream s) {
  return cuMemcpyAsync(to, from, n, s);
}

CUresult cuMemsetD8_v2(CUdeviceptr at, unsigned char byte, std::size_t n) { return set(pointer(at), byte, 1, n, nullptr, true); }
CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char byte, std::size_t n, CUstream s) { return set(pointer(at), byte, 1, n, s, false); }
CUresult cuMemsetD32_v2(CUdeviceptr at, unsigned word, std::size_t n) { return set(pointer(at), word, 4, n, nullptr, true); }
CUresult cuMemsetD32Async(CUdeviceptr at, unsigned word, std::size_t n, CUstream s) { return set(pointer(at), word, 4, n, s, false); }

}  // extern "C"
