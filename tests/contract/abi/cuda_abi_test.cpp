// Ours of the CUDA driver against cuda.h and against the library.
#include "remote-agent/gpu/cuda.hpp"
#include "tests/contract/abi/alike.hpp"
#include "tests/contract/abi/vendor.hpp"

using namespace vt;

namespace {
std::vector<std::string> functions() {
#define VT_NAME(name, ...) #name,
  return {VT_CUDA_FUNCTIONS(VT_NAME)};
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
VT_SAME_VALUE(cuda::ptx_version, CU_FUNC_ATTRIBUTE_PTX_VERSION);
VT_SAME_VALUE(cuda::binary_version, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
VT_SAME_VALUE(cuda::error_log, CU_JIT_ERROR_LOG_BUFFER);
VT_SAME_VALUE(cuda::error_log_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
VT_SAME_VALUE(cuda::kNonBlocking, CU_STREAM_NON_BLOCKING);

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
