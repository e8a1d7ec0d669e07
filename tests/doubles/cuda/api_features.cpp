#include <map>

#include "tests/doubles/cuda/runtime.hpp"

// Pools, virtual and managed memory, graphs. All memory is the device's arena, which the processor reaches, too.

using namespace vt::doubles;

namespace {

constexpr std::size_t kGranularity = std::size_t{2} << 20;

void* pointer(CUdeviceptr at) { return reinterpret_cast<void*>(at); }

CUresult take(CUdeviceptr* at, std::size_t bytes) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  *at = reinterpret_cast<CUdeviceptr>(current->memory.allocate(bytes));
  return *at ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/// Reserved addresses.
struct Range {
  std::size_t bytes = 0;
  bool mapped = false;
};
std::map<CUdeviceptr, Range>& ranges() {
  static auto* only = new std::map<CUdeviceptr, Range>;
  return *only;
}
Range* range(CUdeviceptr at, std::size_t bytes) {
  auto found = ranges().find(at);
  return found != ranges().end() && found->second.bytes == bytes ? &found->second : nullptr;
}
/// Handles of memory: what is asked for comes with its range.
std::map<CUmemGenericAllocationHandle, std::size_t>& pieces() {
  static auto* only = new std::map<CUmemGenericAllocationHandle, std::size_t>;
  return *only;
}

bool is_plain(const CUmemAllocationProp& what) {
  return what.type == CU_MEM_ALLOCATION_TYPE_PINNED && what.location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
         what.location.id == current->gpu;
}

}  // namespace

extern "C" {

CUresult cuMemAllocAsync(CUdeviceptr* at, std::size_t bytes, CUstream) {
  if (auto code = need_feature("pools")) return code;
  return take(at, bytes);
}

CUresult cuMemFreeAsync(CUdeviceptr at, CUstream stream) {
  if (auto code = need_feature("pools")) return code;
  if (!current->memory.holds(pointer(at))) return CUDA_ERROR_INVALID_VALUE;
  submit(stream, [context = current, at] { return Done{context->memory.free(pointer(at)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE}; });
  return CUDA_SUCCESS;
}

CUresult cuMemAllocManaged(CUdeviceptr* at, std::size_t bytes, unsigned flags) {
  if (auto code = need_feature("managed")) return code;
  return flags == CU_MEM_ATTACH_GLOBAL ? take(at, bytes) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp* what, CUmemAllocationGranularity_flags) {
  if (auto code = need_feature("virtual")) return code;
  *bytes = kGranularity;
  return is_plain(*what) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAddressReserve(CUdeviceptr* at, std::size_t bytes, std::size_t, CUdeviceptr, unsigned long long flags) {
  if (auto code = need_feature("virtual")) return code;
  if (bytes % kGranularity != 0 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  auto code = take(at, bytes);
  if (code == CUDA_SUCCESS) ranges()[*at] = {bytes};
  return code;
}

CUresult cuMemAddressFree(CUdeviceptr at, std::size_t bytes) {
  if (auto code = need_feature("virtual")) return code;
  auto* of = range(at, bytes);
  if (!of || of->mapped) return CUDA_ERROR_INVALID_VALUE;
  ranges().erase(at);
  return current->memory.free(pointer(at)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp* what, unsigned long long flags) {
  if (auto code = need_feature("virtual")) return code;
  if (bytes % kGranularity != 0 || bytes == 0 || flags != 0 || !is_plain(*what)) return CUDA_ERROR_INVALID_VALUE;
  static CUmemGenericAllocationHandle last = 0;
  pieces()[*handle = ++last] = bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  if (auto code = need_feature("virtual")) return code;
  return pieces().erase(handle) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemMap(CUdeviceptr at, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags) {
  if (auto code = need_feature("virtual")) return code;
  auto* of = range(at, bytes);
  auto piece = pieces().find(handle);
  if (!of || of->mapped || piece == pieces().end() || piece->second != bytes || offset != 0 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  of->mapped = true;
  return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr at, std::size_t bytes) {
  if (auto code = need_feature("virtual")) return code;
  auto* of = range(at, bytes);
  if (!of || !of->mapped) return CUDA_ERROR_INVALID_VALUE;
  of->mapped = false;
  return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr at, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count) {
  if (auto code = need_feature("virtual")) return code;
  auto* of = range(at, bytes);
  bool fits = of && of->mapped && count == 1 && access->location.type == CU_MEM_LOCATION_TYPE_DEVICE && access->location.id == current->gpu;
  if (!fits || access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode) {
  if (auto code = need_feature("graphs")) return code;
  if (reinterpret_cast<std::uintptr_t>(stream) <= 2 || stream->recording) return CUDA_ERROR_INVALID_VALUE;
  stream->recording = new CUgraph_st;
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  if (auto code = need_feature("graphs")) return code;
  *graph = recording_of(stream);
  if (!*graph) return CUDA_ERROR_INVALID_VALUE;
  stream->recording = nullptr;
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* ready, CUgraph graph, unsigned long long flags) {
  if (auto code = need_feature("graphs")) return code;
  if (!graph || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  *ready = new CUgraphExec_st{graph->work};
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec ready, CUstream stream) {
  if (auto code = need_feature("graphs")) return code;
  if (!ready) return CUDA_ERROR_INVALID_VALUE;
  for (auto& work : ready->work) submit(stream, work);
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec ready) {
  delete ready;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return CUDA_SUCCESS;
}

}  // extern "C"
