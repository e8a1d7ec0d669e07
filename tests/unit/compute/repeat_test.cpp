// Repeats, spread and launches on the processor, which stands in for as many GPUs as are asked for.
#include <gtest/gtest.h>

#include "tests/support/faulty_device.hpp"

using namespace vt;

namespace {

test::QuietReporter quiet;

gpu::Devices machine(int gpus) {
  gpu::Devices out;
  for (int i = 0; i < gpus; ++i) out.push_back(std::make_unique<test::FaultyDevice>(i));
  return out;
}

}  // namespace

TEST(GemmRepeat, TheSameBitsEveryTime) {
  test::FaultyDevice device;
  auto out = checks::gemm_repeat(test::cpu_task({{"repeats", 4}}), device, quiet);
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(out.values["wrong"], 0) << out.values;
  EXPECT_EQ(out.values["repeats"], 4);
  EXPECT_EQ(out.values["first_wrong"], "");
  EXPECT_EQ(out.values["kernel"], "bf16, own");
}

TEST(GemmRepeat, AFaultIsFoundInEveryRepeatAndToldByElementAndBits) {
  test::FaultyDevice device;
  auto out = checks::gemm_repeat(test::cpu_task({{"repeats", 4}, {"fault", true}}), device, quiet);
  EXPECT_EQ(out.values["wrong"], 4);
  EXPECT_EQ(out.values["first_wrong"], "bf16 element (23, 21) differs between two runs in bits 0x4000");
}

/// Of three works of a repeat (product, its rounding, comparison) only what happens to C between the last two is seen.
TEST(GemmRepeat, OneRunThatGivesOtherBitsIsFound) {
  std::uint64_t wrong = 0;
  for (int moment = 15; moment < 21; ++moment) {
    test::FaultyDevice device;
    int works = 0;
    device.after_work = [&] {
      if (++works == moment) device.allocated.at(2).first[10] ^= 4;  // C comes after A and B
    };
    auto out = checks::gemm_repeat(test::cpu_task({{"repeats", 6}}), device, quiet);
    bool seen = out.values["wrong"] == 1;
    EXPECT_EQ(out.values["first_wrong"], seen ? "bf16 element (5, 0) differs between two runs in bits 0x4" : "");
    wrong += out.values["wrong"].get<std::uint64_t>();
  }
  EXPECT_EQ(wrong, 2U);
}

TEST(GemmSpread, IsToldForEachModelWithTheSlowest) {
  auto devices = machine(3);
  auto out = checks::gemm_spread(test::cpu_task({{"batches", 2}}), devices, quiet);
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(out.values["model"], nlohmann::json({"cpu"}));
  ASSERT_EQ(out.values["spread"].size(), 1U);
  auto spread = out.values["spread"][0].get<double>();
  double low = 1e9, high = 0;
  for (auto& rate : out.values["tflops"]) low = std::min(low, rate.get<double>()), high = std::max(high, rate.get<double>());
  EXPECT_NEAR(spread, 100 * (high - low) / high, 1e-9);
  EXPECT_EQ(out.values["wrong"], nlohmann::json({0, 0, 0}));
  EXPECT_EQ(out.values["slowest"][0].get<std::string>().find("GPU "), 0U);
}

TEST(GemmSpread, IsNoFigureOfWrongProducts) {
  auto devices = machine(2);
  auto out = checks::gemm_spread(test::cpu_task({{"batches", 1}, {"fault", true}}), devices, quiet);
  EXPECT_EQ(out.values["wrong"], nlohmann::json({1, 1}));
}

TEST(GemmSpread, OfOneGpuThereIsNone) {
  auto devices = machine(1);
  EXPECT_EQ(checks::gemm_spread(test::cpu_task(), devices, quiet).error, "no two GPUs here are of one model");
}

TEST(LaunchLatency, IsTimedAndCounted) {
  test::FaultyDevice device;
  auto out = checks::launch_latency(test::cpu_task({{"launches", 20}}), device, quiet);
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(out.values["wrong"], 0);
  EXPECT_GT(out.values["p50_us"], 0);
  EXPECT_GE(out.values["p99_us"], out.values["p50_us"]);
  EXPECT_FALSE(out.values.contains("graph_p50_us")) << "a processor has none";
}

TEST(LaunchLatency, LaunchesThatDoNotHappenAreCounted) {
  test::FaultyDevice device;
  device.ignored = {"vt_count_up"};
  EXPECT_EQ(checks::launch_latency(test::cpu_task({{"launches", 1}}), device, quiet).values["wrong"], 100);
  test::FaultyDevice sound;
  EXPECT_EQ(checks::launch_latency(test::cpu_task({{"launches", 1}, {"fault", true}}), sound, quiet).values["wrong"], 16);
}

TEST(CudaFeatures, AreNotOfAProcessor) {
  test::FaultyDevice device;
  EXPECT_EQ(checks::cuda_features(test::cpu_task(), device, quiet).error, "a processor has no features of CUDA's");
}
