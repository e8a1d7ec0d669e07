#include <gtest/gtest.h>

#include "kernels/images.hpp"
#include "tests/support/fake_gpus.hpp"

namespace vt::test {
namespace {

using nlohmann::json;

std::string text(const json& values, const char* name, std::size_t gpu = 0) { return values.at(name).at(gpu).get<std::string>(); }

TEST(CudaChecks, TheDriverStartsOnEveryGpu) {
  FakeGpus gpus(2);
  auto values = gpus.values("drv.init");
  EXPECT_EQ(values["state"], "ok");
  EXPECT_EQ(values["context_ms"].size(), 2U);
  EXPECT_EQ(values["cuda"], "13.0");
}

TEST(CudaChecks, TwoVersionsOfTheDriverAreNamedWithAdvice) {
  FakeGpus gpus;
  gpus.fault_driver_mismatch();
  auto state = gpus.values("drv.init")["state"].get<std::string>();
  EXPECT_NE(state.find("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"), std::string::npos) << state;
  EXPECT_NE(state.find("restart"), std::string::npos) << state;
}

TEST(CudaChecks, AGpuOnWhichTheDriverHangsIsNamed) {
  FakeGpus gpus(2);
  gpus.fault_context_hang(1);
  auto result = gpus.check("drv.init", json::object(), 2000);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.error, "timed out after 2s (was in context on GPU 1)");
}

TEST(CudaChecks, NvrtcCompilesLoadsAndComputesRight) {
  FakeGpus gpus(2);
  auto values = gpus.values("cuda.nvrtc");
  EXPECT_EQ(text(values, "state", 1), "ok");
  EXPECT_TRUE(text(values, "rung").starts_with("NVRTC ")) << values;
  EXPECT_EQ(values["wrong"], json({0, 0}));
}

TEST(CudaChecks, AFlippedBitIsOneWrongWord) {
  FakeGpus gpus;
  EXPECT_EQ(gpus.values("cuda.nvrtc", {{"fault", true}})["wrong"], json({1}));
}

TEST(CudaChecks, AWrongGpuIsFound) {
  FakeGpus gpus;
  gpus.fault_wrong_element(0, "vt_fill_words", 0, 8, 3);
  EXPECT_EQ(gpus.values("cuda.nvrtc")["wrong"], json({1}));
}

TEST(CudaChecks, NativeCodeForAGpuThatTheAgentDoesNotKnowIsAFinding) {
  if (kernels::compiler().empty()) GTEST_SKIP() << "there was no nvcc when this was built";
  FakeGpus gpus;
  gpus.gpu(0)["sm"] = 130;
  auto state = text(gpus.values("cuda.native"), "state");
  EXPECT_NE(state.find("no machine code for sm_130"), std::string::npos) << state;
  EXPECT_NE(state.find("the driver knows CUDA 13.0"), std::string::npos) << state;
}

TEST(CudaChecks, LibrariesAreNamedWithVersionAndAgeForTheGpu) {
  FakeGpus gpus;
  auto values = gpus.values("cuda.libs");
  EXPECT_EQ(values["sm"], 120);
  EXPECT_NE(values["cuda_path"].get<std::string>().find("libcuda.so.1"), std::string::npos);
  EXPECT_TRUE(values.contains("nccl"));
}

}  // namespace
}  // namespace vt::test
