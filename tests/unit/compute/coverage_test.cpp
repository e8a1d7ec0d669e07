#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kernels/coverage.hpp"
#include "tests/support/faulty_device.hpp"

using namespace vt;
using namespace vt::kernels;

namespace {

checks::Outcome cover(gpu::Device& device, nlohmann::json args) {
  test::QuietReporter quiet;
  args["seconds"] = 0, args["blocks"] = 2;
  return checks::sm_coverage(test::cpu_task(std::move(args)), device, quiet);
}

}  // namespace

TEST(Coverage, QuestionsHaveDifferentAnswers) {
  for (auto unit : {Unit::integer, Unit::fp32, Unit::fp64, Unit::special, Unit::tensor}) {
    std::set<u64> all;
    for (u64 q = 0; q < kQuestions; ++q) all.insert(answer(unit, q));
    EXPECT_GT(all.size(), kQuestions - 4) << static_cast<u32>(unit);
  }
}

TEST(Coverage, AWrongBitInAChainChangesItsAnswer) {
  for (u64 q = 0; q < 20; ++q) {
    auto x = static_cast<float>(0.25 + 0.5 * fraction_at(q, 0));
    auto y = 0.25 + 0.5 * fraction_at(q, 0);
    EXPECT_EQ(fp32_answer(q), chaos(x));
    EXPECT_EQ(fp64_answer(q), chaos(y));
    // Not the lowest: of a number next to a half, where the map is flat, they do not matter.
    for (u32 bit : {14U, 20U}) {
      EXPECT_NE(chaos(x), chaos(float_of(bits_of(x) ^ 1U << bit)));
      EXPECT_NE(chaos(y), chaos(double_of(bits_of(y) ^ 1ULL << (2 * bit))));
    }
  }
}

/// The whole matrices, multiplied as anyone would, hold what each thread of a warp says.
TEST(Coverage, ATensorAnswerIsAPartOfAProduct) {
  constexpr u64 kWarp = 3;
  double d[16][8] = {};
  for (u64 step = 0; step < kTensorSteps; ++step)
    for (u64 i = 0; i < 16; ++i)
      for (u64 j = 0; j < 8; ++j)
        for (u64 k = 0; k < 8; ++k) d[i][j] += tensor_operand(kWarp, step, 0, i * 8 + k) * tensor_operand(kWarp, step, 1, k * 8 + j);
  for (u64 lane = 0; lane < 32; ++lane) {
    u64 expected = 0, row = lane / 4, column = lane % 4 * 2;
    for (auto [i, j] : {std::pair{row, column}, {row, column + 1}, {row + 8, column}, {row + 8, column + 1}})
      expected = word_at(expected, bits_of(static_cast<float>(d[i][j])));
    EXPECT_EQ(tensor_answer(kWarp * 32 + lane), expected) << lane;
  }
}

TEST(Coverage, SpecialFunctionsAreSummedExactlyEnough) {
  double (*functions[])(double) = {std::sin, std::exp2, std::log2, [](double x) { return 1 / x; },
                                   [](double x) { return 1 / std::sqrt(x); }};
  for (u64 q = 0; q < kQuestions; ++q) {
    double sum = 0;
    for (u64 i = 0; i < kSpecialTerms; ++i) sum += functions[q / 32 % 5](1 + fraction_at(q, i));
    EXPECT_NEAR(float_of(static_cast<u32>(special_answer(q))), sum, kSpecialBound / 4) << q;
    EXPECT_LT(sum, 64);
  }
}

TEST(Coverage, ASoundProcessorIsOneMultiprocessorThatAnswersAll) {
  test::FaultyDevice device;
  auto out = cover(device, {});
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(out.values["wrong"], 0) << out.values;
  EXPECT_EQ(out.values["wrong_on"], "none");
  EXPECT_EQ(out.values["multiprocessors"], 1);
  EXPECT_EQ(out.values["missed"], 0);
  EXPECT_EQ(out.values["never"], "none");
  EXPECT_EQ(out.values["rounds"], 1);
}

TEST(Coverage, AWrongAnswerIsToldWithPlaceAndUnit) {
  test::FaultyDevice device;
  auto out = cover(device, {{"fault", true}});
  EXPECT_EQ(out.values["wrong"], 2) << "two blocks ask it once each";
  EXPECT_EQ(out.values["wrong_on"], "0 (fp32 2)");
  EXPECT_EQ(out.values["first_wrong"].get<std::string>().substr(0, 47), "multiprocessor 0, fp32, question 7: expected 0x");
}

TEST(Coverage, WhatIsNeverAskedIsMissed) {
  test::FaultyDevice device;
  device.ignored = {"vt_question_units"};
  auto out = cover(device, {});
  EXPECT_EQ(out.values["missed"], 1);
  EXPECT_EQ(out.values["never"], "0");
}

/// A special function that is far from the processor's must not become the measure of all.
TEST(Coverage, SpecialFunctionsThatAreFarOffAreWrong) {
  test::FaultyDevice device;
  device.ignored = {"vt_special_answers"};  // says 0 for each
  auto out = cover(device, {});
  EXPECT_GT(out.values["wrong"], 200);
  EXPECT_EQ(out.values["first_wrong"].get<std::string>().find("special, question 0: 0.000000 is not near "), 0U) << out.values;
}
