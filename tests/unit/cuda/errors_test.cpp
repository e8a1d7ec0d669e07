#include <gtest/gtest.h>

#include "remote-agent/gpu/cuda.hpp"

namespace vt::gpu::cuda {
namespace {

struct Row {
  Code code;
  Errc kind;
  const char *name, *advice;
};

/// What people meet, with the word of the advice that matters.
TEST(CudaErrors, SayWhatTheyMeanAndWhatToDo) {
  const Row rows[] = {{2, Errc::capacity, "CUDA_ERROR_OUT_OF_MEMORY", "end other programs"},
                      {34, Errc::refused, "CUDA_ERROR_STUB_LIBRARY", "LD_LIBRARY_PATH"},
                      {100, Errc::not_found, "CUDA_ERROR_NO_DEVICE", "CUDA_VISIBLE_DEVICES"},
                      {200, Errc::refused, "CUDA_ERROR_INVALID_IMAGE", "newer driver"},
                      {209, Errc::refused, "CUDA_ERROR_NO_BINARY_FOR_GPU", "compute capability"},
                      {214, Errc::lost, "CUDA_ERROR_ECC_UNCORRECTABLE", "memory"},
                      {218, Errc::refused, "CUDA_ERROR_INVALID_PTX", "PTX"},
                      {222, Errc::refused, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "newer than the driver"},
                      {700, Errc::lost, "CUDA_ERROR_ILLEGAL_ADDRESS", "GPU"},
                      {719, Errc::lost, "CUDA_ERROR_LAUNCH_FAILED", "Xid"},
                      {802, Errc::refused, "CUDA_ERROR_SYSTEM_NOT_READY", "fabricmanager"},
                      {803, Errc::refused, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "restart"},
                      {804, Errc::refused, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "cuda-compat"},
                      {999, Errc::lost, "CUDA_ERROR_UNKNOWN", "nvidia-uvm"}};
  for (auto& row : rows) {
    auto error = explain(row.code, "cuSomething");
    EXPECT_EQ(error.code, row.kind) << error.what;
    auto start = std::string("cuSomething: ") + row.name + " (" + std::to_string(row.code) + "): ";
    EXPECT_TRUE(error.what.starts_with(start)) << error.what;
    EXPECT_NE(error.what.find(row.advice, start.size()), std::string::npos) << error.what;
  }
}

TEST(CudaErrors, UnknownNumbersAreTold) {
  auto error = explain(4711, "cuSomething");
  EXPECT_EQ(error.code, Errc::refused);
  EXPECT_EQ(error.what, "cuSomething: CUDA error (4711)");
}

TEST(CudaErrors, NoErrorIsNone) {
  EXPECT_TRUE(done(0, "cuSomething"));
  EXPECT_FALSE(done(1, "cuSomething"));
}

}  // namespace
}  // namespace vt::gpu::cuda
