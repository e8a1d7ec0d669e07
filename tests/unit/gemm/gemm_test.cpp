#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "remote-agent/checks/gemm_verify.hpp"
#include "remote-agent/gpu/open.hpp"

using namespace vt;
using checks::GemmProblem;
using kernels::Draw;
using kernels::Format;

namespace {

constexpr Format kAll[] = {Format::fp64, Format::fp32, Format::tf32,  Format::bf16, Format::fp16,
                           Format::e4m3, Format::e5m2, Format::nvfp4, Format::int8};

/// A product on the processor, with its verification.
struct Gemm {
  std::unique_ptr<gpu::Device> device = gpu::open_cpu();
  GemmProblem problem;
  explicit Gemm(Format format, GemmProblem::Size size = {48, 32, 64}) : problem(made(*device, format, size)) {}
  static GemmProblem made(gpu::Device& device, Format format, GemmProblem::Size size) {
    return GemmProblem::make(device, format, size, nullptr).take();
  }
  void run(Draw draw, std::uint64_t seed = 11) {
    ASSERT_TRUE(problem.draw(draw, seed));
    ASSERT_TRUE(problem.run());
  }
  checks::GemmFindings found() { return checks::verify(problem, 5).take(); }
  template <class T>
  T* c() {
    return problem.c().as<T>();
  }
};

class EveryFormat : public testing::TestWithParam<Format> {};

}  // namespace

TEST_P(EveryFormat, RightResultsHold) {
  Gemm gemm(GetParam());
  for (auto draw : {Draw::normal, Draw::integers}) {
    gemm.run(draw);
    auto found = gemm.found();
    EXPECT_EQ(found.wrong(), 0U) << found.first;
    EXPECT_EQ(found.compared, 48U * 32U);
    // The processor sums fp64 in the same order; of whole numbers nothing is rounded.
    EXPECT_EQ(found.worst > 0, draw == Draw::normal && GetParam() != Format::fp64 && GetParam() != Format::int8);
    EXPECT_LT(found.worst, 0.9);
  }
}

TEST_P(EveryFormat, ASpoiltElementIsFoundByEveryTest) {
  Gemm gemm(GetParam());
  gemm.run(Draw::normal);
  ASSERT_TRUE(gemm.problem.spoil());
  auto found = gemm.found();
  EXPECT_EQ(found.elements, 1U);
  EXPECT_EQ(found.rows, 1U);
  EXPECT_EQ(found.samples, 1U);  // all elements of so small a product are sampled
  EXPECT_NE(found.first.find("element ("), std::string::npos) << found.first;
}

TEST_P(EveryFormat, AKnownAnswerMustBeEqual) {
  Gemm gemm(GetParam());
  gemm.run(Draw::integers);
  auto* words = gemm.c<kernels::u64>();
  words[7] ^= 1;  // the last bit of one element
  EXPECT_EQ(gemm.found().wrong(), 1U);
}

TEST_P(EveryFormat, NothingIsMissedWhenNothingIsComputed) {
  Gemm gemm(GetParam());
  gemm.run(Draw::normal);
  std::memset(gemm.c<void>(), 0, gemm.problem.c().bytes());
  EXPECT_GT(gemm.found().wrong(), 48U * 32U * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(Gemm, EveryFormat, testing::ValuesIn(kAll), [](auto& format) {
  std::string name = gpu::name(format.param);
  std::erase(name, '-');
  return name;
});

TEST(Gemm, NanAndInfinityAreWrong) {
  Gemm gemm(Format::fp32);
  gemm.run(Draw::normal);
  gemm.c<float>()[10] = std::numeric_limits<float>::quiet_NaN();
  gemm.c<float>()[11] = -std::numeric_limits<float>::infinity();
  auto found = gemm.found();
  EXPECT_EQ(found.nonfinite, 2U);
  EXPECT_EQ(found.elements, 2U);
  EXPECT_EQ(found.samples, 2U);
  EXPECT_EQ(found.rows, 2U);
  EXPECT_EQ(found.first.substr(0, 21), "fp32 element (10, 0):");
}

TEST(Gemm, ALittleMoreThanTheBoundIsWrong) {
  Gemm gemm(Format::fp32);
  gemm.run(Draw::normal);
  auto bound = gemm.problem.bound(0);
  auto& c = gemm.c<float>()[100];
  auto right = c;
  c = right + static_cast<float>(bound.accumulate * 30);  // the root of the sum of squares of 64 products is about 8
  EXPECT_EQ(gemm.found().elements, 1U);
  c = right + static_cast<float>(bound.accumulate * 0.5);
  EXPECT_EQ(gemm.found().elements, 0U);
}

/// Operands that were spoilt give a product that is right for them: only who knows what they should be can tell.
TEST(Gemm, AWrongOperandShowsInTheSamples) {
  Gemm gemm(Format::fp32);
  ASSERT_TRUE(gemm.problem.draw(Draw::normal, 11));
  static_cast<float*>(const_cast<void*>(gemm.problem.wide_a()))[64 * 3 + 5] += 1;  // row 3
  ASSERT_TRUE(gemm.problem.run());
  auto found = gemm.found();
  EXPECT_EQ(found.elements, 0U);
  EXPECT_GT(found.samples, 25U);
  EXPECT_LE(found.samples, 32U);
}

TEST(Gemm, FreivaldsFindsExchangedRows) {
  Gemm gemm(Format::bf16);
  gemm.run(Draw::normal);
  auto* c = gemm.c<kernels::u16>();
  for (int j = 0; j < 32; ++j) std::swap(c[j * 48 + 1], c[j * 48 + 2]);
  EXPECT_EQ(gemm.found().rows, 2U);
}

TEST(Gemm, RepeatsGiveTheSameBits) {
  Gemm gemm(Format::fp16);
  gemm.run(Draw::normal);
  EXPECT_EQ(checks::verify_repeats(gemm.problem, 3, 60).take().wrong(), 0U);
  gemm.c<kernels::u16>()[9] ^= 1;  // the result they are held against
  auto found = checks::verify_repeats(gemm.problem, 3, 60).take();
  EXPECT_EQ(found.repeats, 3U);
  EXPECT_EQ(found.first, "fp16 element (9, 0) differs between two runs in bits 0x1");
}

/// The least that can be wrong with a sum of whole numbers is one.
TEST(Gemm, WholeNumbersHaveOneRightAnswer) {
  Gemm gemm(Format::int8, {16, 16, 1024});
  gemm.run(Draw::normal);
  EXPECT_EQ(gemm.found().wrong(), 0U);
  gemm.c<std::int32_t>()[20] += 1;
  auto found = gemm.found();
  EXPECT_EQ(found.elements, 1U);
  EXPECT_EQ(found.rows, 1U);
  EXPECT_EQ(found.samples, 1U);
  EXPECT_EQ(found.first.substr(0, 20), "int8 element (4, 1):");
}

TEST(Gemm, SizesThatDoNotFillATile) {
  Gemm gemm(Format::fp32, {16, 80, 128});
  gemm.run(Draw::normal);
  EXPECT_EQ(gemm.found().wrong(), 0U);
  Gemm narrow(Format::fp64, {80, 16, 64});
  narrow.run(Draw::normal);
  EXPECT_EQ(narrow.found().wrong(), 0U);
}

TEST(Gemm, StridesTransposeAndAdd) {
  auto device = gpu::open_cpu();
  const float a[] = {1, 2, 3, 4, 5, 6};  // 2 x 3 by rows
  const float b[] = {1, 0, 2, 0, 1, 1};  // 3 x 2 by rows
  float c[] = {10, 20, 30, 40};
  ASSERT_TRUE(device->launch(VT_NAMED(vt_gemm_f32), {1}, {}, a, {3, 1}, b, {2, 1}, c, {2, 1}, 2, 2, 3, true));
  EXPECT_EQ(c[0], 10 + 1 + 4 + 3);
  EXPECT_EQ(c[1], 20 + 0 + 0 + 3);
  EXPECT_EQ(c[3], 40 + 0 + 0 + 6);
  ASSERT_TRUE(device->launch(VT_NAMED(vt_gemm_f32), {1}, {}, a, {1, 3}, a, {3, 1}, c, {2, 1}, 2, 2, 2, false));
  EXPECT_EQ(c[0], 1 * 1 + 4 * 4);  // the first two columns of aᵀ times the first two of a
}

TEST(Gemm, RepeatsEndWithTheirTime) {
  Gemm gemm(Format::fp32);
  gemm.run(Draw::normal);
  auto repeated = checks::verify_repeats(gemm.problem, 3, 60).take();
  EXPECT_EQ(repeated.again, 3U);
  EXPECT_EQ(repeated.repeats, 0U);
  EXPECT_EQ(checks::verify_repeats(gemm.problem, 1000, 0).take().again, 1U);
}
