// Ours of the CUDA driver against cuda.h and against the library.
#include "remote-agent/gpu/cuda.hpp"
#include "tests/contract/abi/alike.hpp"
#include "tests/contract/abi/vendor.hpp"

using namespace vt;

namespace {
std::vector<std::string> functions() {
#define VT_NAME(name, ...) #name,
  return {VT_CUDA_FUNCTIONS(VT_NAME) VT_CUDA_OPTIONAL(VT_NAME)};
#undef VT_NAME
}
}  // namespace

#ifdef VT_CUDA_H
#define __CUDA_API_VERSION_INTERNAL  // names as the library exports them, not renamed by macros
#include <cuda.h>

namespace {

namespace cuda = gpu::cuda;
#define VT_SAME(name, ...) static_assert(test::kSameCall<decltype(cuda::Driver::name), decltype(&::name)>, #name);
VT_CUDA_FUNCTIONS(VT_SAME)
VT_CUDA_OPTIONAL(VT_SAME)
#undef VT_SAME

VT_SAME_SIZE(cuda::DeviceId, CUdevice);
VT_SAME_SIZE(cuda::Address, CUdeviceptr);
VT_SAME_SIZE(cuda::Code, CUresult);
static_assert(sizeof(cuda::Uuid) == sizeof(CUuuid));
VT_SAME_SIZE(int, CUjit_option);  // an array of them is handed over
VT_SAME_VALUE(cuda::multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
VT_SAME_VALUE(cuda::l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
VT_SAME_VALUE(cuda::capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
VT_SAME_VALUE(cuda::capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
VT_SAME_VALUE(cuda::managed_memory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
VT_SAME_VALUE(cuda::cooperative_launch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
VT_SAME_VALUE(cuda::virtual_memory, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
VT_SAME_VALUE(cuda::memory_pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
VT_SAME_VALUE(cuda::ptx_version, CU_FUNC_ATTRIBUTE_PTX_VERSION);
VT_SAME_VALUE(cuda::binary_version, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
VT_SAME_VALUE(cuda::error_log, CU_JIT_ERROR_LOG_BUFFER);
VT_SAME_VALUE(cuda::error_log_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
VT_SAME_VALUE(cuda::kNonBlocking, CU_STREAM_NON_BLOCKING);
VT_SAME_VALUE(cuda::kAttachGlobal, CU_MEM_ATTACH_GLOBAL);
VT_SAME_VALUE(cuda::kCaptureThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
VT_SAME_VALUE(cuda::kLeastGranularity, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
VT_SAME_SIZE(cuda::Memory, CUmemGenericAllocationHandle);
VT_SAME_SIZE(cuda::Location, CUmemLocation);
VT_SAME_MEMBER(cuda::Location, type, CUmemLocation, type);
VT_SAME_MEMBER(cuda::Location, id, CUmemLocation, id);
VT_SAME_VALUE(cuda::Location{}.type, CU_MEM_LOCATION_TYPE_DEVICE);
VT_SAME_SIZE(cuda::AllocationProp, CUmemAllocationProp);
VT_SAME_MEMBER(cuda::AllocationProp, type, CUmemAllocationProp, type);
VT_SAME_MEMBER(cuda::AllocationProp, shared_by, CUmemAllocationProp, requestedHandleTypes);
VT_SAME_MEMBER(cuda::AllocationProp, location, CUmemAllocationProp, location);
VT_SAME_MEMBER(cuda::AllocationProp, windows, CUmemAllocationProp, win32HandleMetaData);
VT_SAME_MEMBER(cuda::AllocationProp, flags, CUmemAllocationProp, allocFlags);
VT_SAME_VALUE(cuda::AllocationProp{}.type, CU_MEM_ALLOCATION_TYPE_PINNED);
VT_SAME_SIZE(cuda::AccessDesc, CUmemAccessDesc);
VT_SAME_MEMBER(cuda::AccessDesc, location, CUmemAccessDesc, location);
VT_SAME_MEMBER(cuda::AccessDesc, flags, CUmemAccessDesc, flags);
VT_SAME_VALUE(cuda::AccessDesc{}.flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);

TEST(CudaAbi, ErrorsHaveTheNamesOfTheHeader) {
  std::map<long long, std::string> names;
  for (auto& [name, value] : test::constants_in(VT_CUDA_H))
    if (name.starts_with("CUDA_ERROR_")) names.emplace(value, name);
  int known = 0;
  for (int code = 1; code < 1000; ++code) {
    auto text = cuda::explain(code, "x").what;
    if (!text.starts_with("x: CUDA_ERROR_")) continue;
    ++known;
    EXPECT_TRUE(text.starts_with("x: " + names[code] + " (")) << text << "; the header has " << names[code];
  }
  EXPECT_GT(known, 40);
}

TEST(CudaAbi, ConstantsOfTheDoubleAreThoseOfTheHeader) { test::expect_same_constants("cuda", VT_CUDA_H, {"CU_", "CUDA_"}); }

}  // namespace
#else
TEST(CudaAbi, ErrorsHaveTheNamesOfTheHeader) { GTEST_SKIP() << "there was no cuda.h"; }
TEST(CudaAbi, ConstantsOfTheDoubleAreThoseOfTheHeader) { GTEST_SKIP() << "there was no cuda.h"; }
#endif

/// The toolkit's stub has every symbol of the driver of its version, and no more.
TEST(CudaAbi, EveryFunctionIsInTheLibrary) {
  VT_OPEN_VENDOR(library, "/usr/local/cuda/lib64/stubs/libcuda.so", "libcuda.so.1");
  EXPECT_EQ(test::missing_in(*library, functions()), "");
}
