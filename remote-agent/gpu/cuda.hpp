#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "orchestrator/model/result.hpp"
#include "remote-agent/gpu/library.hpp"

/// The part of the CUDA driver API that we call, declared here so that nothing of NVIDIA's is needed to build. Names and types are
/// the driver's ABI ("_v2" where a function was replaced); all of it is in drivers since CUDA 11.4, and none has changed since.
namespace vt::gpu::cuda {

using Code = int;               ///< CUresult; 0 = done
using DeviceId = int;           ///< CUdevice
using Context = void*;          ///< CUcontext
using Module = void*;           ///< CUmodule
using Function = void*;         ///< CUfunction
using StreamId = void*;         ///< CUstream
using Event = void*;            ///< CUevent
using Address = std::uint64_t;  ///< CUdeviceptr; with unified addressing the same numbers as pointers
using Graph = void*;            ///< CUgraph
using GraphExec = void*;        ///< CUgraphExec
using Memory = std::uint64_t;   ///< CUmemGenericAllocationHandle
struct Uuid {
  unsigned char bytes[16];
};

/// CUdevice_attribute
enum Attribute : int {
  multiprocessors = 16,
  l2_bytes = 38,
  capability_major = 75,
  capability_minor = 76,
  managed_memory = 83,
  cooperative_launch = 95,
  virtual_memory = 102,
  memory_pools = 115,
};
/// CUmemLocation: memory of device `id`.
struct Location {
  int type = 1;  ///< CU_MEM_LOCATION_TYPE_DEVICE
  int id = 0;
};
/// CUmemAllocationProp: plain memory, shared with nobody.
struct AllocationProp {
  int type = 1;  ///< CU_MEM_ALLOCATION_TYPE_PINNED
  int shared_by = 0;
  Location location;
  void* windows = nullptr;
  unsigned char flags[8] = {};
};
static_assert(sizeof(AllocationProp) == 32);
/// CUmemAccessDesc
struct AccessDesc {
  Location location;
  int flags = 3;  ///< CU_MEM_ACCESS_FLAGS_PROT_READWRITE
};
/// CUfunction_attribute: 120 = compiled for 12.0
enum FunctionAttribute : int { ptx_version = 5, binary_version = 6 };
/// CUjit_option
enum JitOption : int { error_log = 5, error_log_bytes = 6 };
constexpr unsigned kNonBlocking = 1;    ///< CU_STREAM_NON_BLOCKING
constexpr unsigned kAttachGlobal = 1;   ///< CU_MEM_ATTACH_GLOBAL
constexpr int kCaptureThreadLocal = 1;  ///< CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
constexpr int kLeastGranularity = 0;    ///< CU_MEM_ALLOC_GRANULARITY_MINIMUM

// clang-format off: a table, one function a line
#define VT_CUDA_FUNCTIONS(X)                                          \
  X(cuInit, unsigned)                                                 \
  X(cuDriverGetVersion, int*)                                         \
  X(cuGetErrorName, Code, const char**)                               \
  X(cuDeviceGetCount, int*)                                           \
  X(cuDeviceGet, DeviceId*, int)                                      \
  X(cuDeviceGetName, char*, int, DeviceId)                            \
  X(cuDeviceGetUuid_v2, Uuid*, DeviceId)                              \
  X(cuDeviceGetPCIBusId, char*, int, DeviceId)                        \
  X(cuDeviceTotalMem_v2, std::size_t*, DeviceId)                      \
  X(cuDeviceGetAttribute, int*, int, DeviceId)                        \
  X(cuDeviceCanAccessPeer, int*, DeviceId, DeviceId)                  \
  X(cuDevicePrimaryCtxRetain, Context*, DeviceId)                     \
  X(cuDevicePrimaryCtxRelease_v2, DeviceId)                           \
  X(cuCtxSetCurrent, Context)                                         \
  X(cuCtxEnablePeerAccess, Context, unsigned)                         \
  X(cuMemGetInfo_v2, std::size_t*, std::size_t*)                      \
  X(cuMemAlloc_v2, Address*, std::size_t)                             \
  X(cuMemFree_v2, Address)                                            \
  X(cuMemAllocHost_v2, void**, std::size_t)                           \
  X(cuMemFreeHost, void*)                                             \
  X(cuMemcpyAsync, Address, Address, std::size_t, StreamId)           \
  X(cuMemsetD8Async, Address, unsigned char, std::size_t, StreamId)   \
  X(cuStreamCreate, StreamId*, unsigned)                              \
  X(cuStreamDestroy_v2, StreamId)                                     \
  X(cuStreamSynchronize, StreamId)                                    \
  X(cuStreamWaitEvent, StreamId, Event, unsigned)                     \
  X(cuEventCreate, Event*, unsigned)                                  \
  X(cuEventDestroy_v2, Event)                                         \
  X(cuEventRecord, Event, StreamId)                                   \
  X(cuEventSynchronize, Event)                                        \
  X(cuEventElapsedTime, float*, Event, Event)                         \
  X(cuModuleLoadDataEx, Module*, const void*, unsigned, int*, void**) \
  X(cuModuleUnload, Module)                                           \
  X(cuModuleGetFunction, Function*, Module, const char*)              \
  X(cuFuncGetAttribute, int*, int, Function)                          \
  X(cuLaunchKernel, Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, StreamId, void**, void**)

/// What cuda.features tries and not every driver has: nullptr where it is missing.
#define VT_CUDA_OPTIONAL(X)                                                                                                      \
  X(cuMemAllocAsync, Address*, std::size_t, StreamId)                                                                            \
  X(cuMemFreeAsync, Address, StreamId)                                                                                           \
  X(cuMemAllocManaged, Address*, std::size_t, unsigned)                                                                          \
  X(cuMemGetAllocationGranularity, std::size_t*, const AllocationProp*, int)                                                     \
  X(cuMemAddressReserve, Address*, std::size_t, std::size_t, Address, unsigned long long)                                        \
  X(cuMemAddressFree, Address, std::size_t)                                                                                      \
  X(cuMemCreate, Memory*, std::size_t, const AllocationProp*, unsigned long long)                                                \
  X(cuMemRelease, Memory)                                                                                                        \
  X(cuMemMap, Address, std::size_t, std::size_t, Memory, unsigned long long)                                                     \
  X(cuMemUnmap, Address, std::size_t)                                                                                            \
  X(cuMemSetAccess, Address, std::size_t, const AccessDesc*, std::size_t)                                                        \
  X(cuLaunchCooperativeKernel, Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, StreamId, void**) \
  X(cuStreamBeginCapture_v2, StreamId, int)                                                                                      \
  X(cuStreamEndCapture, StreamId, Graph*)                                                                                        \
  X(cuGraphInstantiateWithFlags, GraphExec*, Graph, unsigned long long)                                                          \
  X(cuGraphLaunch, GraphExec, StreamId)                                                                                          \
  X(cuGraphExecDestroy, GraphExec)                                                                                               \
  X(cuGraphDestroy, Graph)
// clang-format on

struct Driver {
  std::string path;  ///< of libcuda
  int version = 0;   ///< newest CUDA it knows: 12080 = 12.8
#define VT_DRIVER_MEMBER(name, ...) Code (*name)(__VA_ARGS__) = nullptr;
  VT_CUDA_FUNCTIONS(VT_DRIVER_MEMBER)
  VT_CUDA_OPTIONAL(VT_DRIVER_MEMBER)
#undef VT_DRIVER_MEMBER
};

/// The driver of this process, loaded and initialised (cuInit) by the first call. Errc::not_found: no libcuda.so.1; Errc::refused: it is
/// there and says no.
Result<const Driver*> driver();
/// The same without cuInit, for who wants to time that.
Result<const Driver*> load_driver();
/// cuInit with what it means when it fails.
Status initialise(const Driver&);

/// "CUDA_ERROR_ILLEGAL_ADDRESS (700)", what it means and what to do, in one line after `call`. Errc::lost, capacity or refused as
/// Device says.
Error explain(Code, const std::string& call, const char* name = nullptr);

/// done(cuda.cuInit(0), "cuInit")
inline Status done(Code code, const char* call) {
  if (code == 0) return {};
  return fail(explain(code, call));
}
#define VT_CUDA(driver, function, ...) VT_CHECK(::vt::gpu::cuda::done((driver).function(__VA_ARGS__), #function))

}  // namespace vt::gpu::cuda
