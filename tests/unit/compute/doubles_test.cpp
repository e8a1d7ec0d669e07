// The same checks in the shipped agent on GPUs that do not exist.
#include <gtest/gtest.h>

#include "tests/support/fake_gpus.hpp"

using nlohmann::json;
using vt::test::FakeGpus;

TEST(ComputeOnDoubles, FeaturesAreTriedAndTheBrokenOneIsNamed) {
  FakeGpus gpus({{"count", 2}, {"each", {{"multiprocessors", 4}}}, {"gpu", {{"1", {{"lacks", {"managed"}}}}}}});
  gpus.fault({{"kind", "feature"}, {"gpu", 0}, {"where", "pools"}, {"code", 801}});
  auto values = gpus.values("cuda.features");
  EXPECT_EQ(values["pools"][0].get<std::string>().find("cuMemAllocAsync: CUDA_ERROR_NOT_SUPPORTED (801)"), 0U) << values;
  EXPECT_EQ(values["pools"][1], "ok");
  EXPECT_EQ(values["managed"], json({"ok", "n/a: not advertised"}));
  for (auto* name : {"virtual", "graphs", "cooperative"}) EXPECT_EQ(values[name], json({"ok", "ok"})) << name;
}

TEST(ComputeOnDoubles, AFlippedBitShowsInEveryFeature) {
  FakeGpus gpus({{"count", 1}, {"each", {{"multiprocessors", 4}}}});
  auto values = gpus.values("cuda.features", {{"fault", true}});
  for (auto* name : {"pools", "virtual", "managed", "graphs", "cooperative"}) EXPECT_EQ(values[name], json({"1 words are wrong"})) << name;
}

TEST(ComputeOnDoubles, GraphsAreLaunchedAndTimed) {
  FakeGpus gpus;
  auto values = gpus.values("gpu.launch_latency", {{"launches", 20}});
  EXPECT_EQ(values["wrong"], json({0}));
  EXPECT_GT(values["graph_p50_us"][0], 0) << values;
}

TEST(ComputeOnDoubles, EveryMultiprocessorIsAskedAndTheOneThatIsLeftOutIsNamed) {
  FakeGpus gpus({{"count", 1}, {"each", {{"multiprocessors", 7}}}});
  constexpr std::size_t kTally = 48;
  gpus.fault_wrong_element(0, "vt_question_units", 3, 5 * kTally + 1, 0);  // 256 questions become none
  auto values = gpus.values("sm.coverage", {{"seconds", 0}, {"blocks", 1}});
  EXPECT_EQ(values["wrong"], json({0}));
  EXPECT_EQ(values["multiprocessors"], json({6}));
  EXPECT_EQ(values["missed"], json({1}));
  EXPECT_EQ(values["never"], json({"5"}));
}

TEST(ComputeOnDoubles, Int8IsMultipliedByTheLibrary) {
  FakeGpus gpus;
  auto values = gpus.values("gemm.rate", {{"type", "int8"}, {"size", 64}, {"batches", 1}, {"warm_up", 0}, {"tune", 0}});
  EXPECT_EQ(values["wrong"], json({0})) << values;
  EXPECT_EQ(values["kernel"][0].get<std::string>().find("cuBLASLt "), 0U) << values;
}

TEST(ComputeOnDoubles, TheSlowestOfAModelIsNamed) {
  FakeGpus gpus({{"count", 3}, {"each", {{"kernel_seconds", {{"vt_gemm_f32", 0.1}, {"vt_encode_result", 0}}}}}});
  gpus.gpu(2)["kernel_seconds"]["vt_gemm_f32"] = 0.125;
  auto values = gpus.values("gemm.spread", {{"own", true}, {"size", 64}, {"batches", 1}, {"warm_up", 0}});
  ASSERT_EQ(values["spread"].size(), 1U) << values;
  EXPECT_NEAR(values["spread"][0].get<double>(), 20, 2);
  EXPECT_EQ(values["slowest"][0].get<std::string>().find("GPU 2 (GPU-5090f00d-0000-4000-8000-000000000002): "), 0U) << values;
}
