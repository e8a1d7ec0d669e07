#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/convolution.hpp"
#include "kernels/normalisation.hpp"
#include "kernels/sgd.hpp"

using namespace vt::kernels;

namespace {

struct ResNetKernels : testing::Test {
  void SetUp() override { lane = {0, 1}; }
};

}  // namespace

TEST_F(ResNetKernels, Bf16RoundsAsTheFormatDoes) {
  for (u64 i = 0; i < 20'000; ++i) {
    auto x = float_of(static_cast<u32>(word_at(1, i)));
    if (std::isnan(x)) EXPECT_TRUE(std::isnan(from_bf16(to_bf16(x))));
    else EXPECT_EQ(to_bf16(x), Bf16::encode(x)) << x;
  }
  auto infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(from_bf16(to_bf16(-infinity)), -infinity);
  EXPECT_EQ(from_bf16(to_bf16(std::numeric_limits<float>::max())), infinity);
}

/// One image of 2 x 2 and a window of 3: what lies outside is zero, and what is there goes back as often as it was seen.
TEST_F(ResNetKernels, TheWindowSeesZerosBeyondTheEdge) {
  const Window w{1, 2, 8, 3, 1, 2, 72};
  std::vector<Eight> image(4), columns(4 * 9);
  for (u32 p = 0; p < 4; ++p)
    for (auto& x : image[p].at) x = to_bf16(static_cast<float>(p + 1));
  vt_im2col(image[0].at, w, columns[0].at);
  const float first[] = {0, 0, 0, 0, 1, 2, 0, 3, 4};
  for (u32 tap = 0; tap < 9; ++tap) EXPECT_EQ(from_bf16(columns[tap].at[3]), first[tap]) << tap;
  std::vector<Eight> back(4);
  vt_col2im(columns[0].at, w, back[0].at);
  for (u32 p = 0; p < 4; ++p) EXPECT_EQ(from_bf16(back[p].at[0]), 4 * static_cast<float>(p + 1));
}

/// Rows of three channels are filled up with zeros.
TEST_F(ResNetKernels, ImagesOfThreeColours) {
  const Window w{1, 2, 3, 3, 2, 1, 32};
  std::vector<u16> image(12);
  for (u32 i = 0; i < 12; ++i) image[i] = to_bf16(static_cast<float>(i + 1));
  std::vector<Eight> columns(4);
  for (auto& c : columns)
    for (auto& x : c.at) x = 0x7FC0;
  vt_im2col(image.data(), w, columns[0].at);
  const auto* row = columns[0].at;
  EXPECT_EQ(from_bf16(row[4 * 3]), 1);  // the middle of the window is the first pixel
  EXPECT_EQ(from_bf16(row[8 * 3 + 2]), 12);
  EXPECT_EQ(from_bf16(row[0]), 0);
  for (u32 i = 27; i < 32; ++i) EXPECT_EQ(row[i], 0) << i;
}

TEST_F(ResNetKernels, MaxPoolingGivesTheSlopeToTheLargest) {
  const Window w{1, 4, 8, 3, 2, 2, 0};
  std::vector<Eight> image(16), out(4), back(16);
  for (u32 p = 0; p < 16; ++p)
    for (auto& x : image[p].at) x = to_bf16(static_cast<float>(p));
  u8 which[32];
  vt_max_pool(image[0].at, w, out[0].at, which);
  const float largest[] = {5, 7, 13, 15};
  for (u32 p = 0; p < 4; ++p) EXPECT_EQ(from_bf16(out[p].at[7]), largest[p]);
  for (auto& up : out)
    for (auto& x : up.at) x = to_bf16(1);
  vt_max_pool_backward(out[0].at, which, w, back[0].at);
  for (u32 p = 0; p < 16; ++p) EXPECT_EQ(from_bf16(back[p].at[2]), p == 5 || p == 7 || p == 13 || p == 15 ? 1 : 0) << p;
}

/// However the rows are shared out, moments are those of the column; far from zero, too.
TEST_F(ResNetKernels, MomentsOfAColumn) {
  constexpr u64 kRows = 40, kParts = 5;
  std::vector<Eight> x(kRows);
  for (u64 r = 0; r < kRows; ++r)
    for (u64 c = 0; c < kEight; ++c) x[r].at[c] = to_bf16(c == 7 ? 1000 + 8 * static_cast<float>(r % 2) : static_cast<float>(r % 4));
  std::vector<float> sums(2 * kParts * kEight), folded(2 * 2 * kEight), mean(kEight), inverse(kEight);
  vt_norm_sums(x[0].at, kRows, kEight, kParts, sums.data());
  vt_fold_sums(sums.data(), 2 * kEight, kParts, 2, folded.data());
  vt_norm_moments(x[0].at, folded.data(), kRows, kEight, 2, {mean.data(), inverse.data()});
  EXPECT_FLOAT_EQ(mean[0], 1.5F);
  EXPECT_NEAR(inverse[0], 1 / std::sqrt(1.25), 1e-5);
  EXPECT_FLOAT_EQ(mean[7], 1004);
  EXPECT_NEAR(inverse[7], 0.25, 1e-5);
}

TEST_F(ResNetKernels, MomentumAddsUp) {
  float weight = 1, velocity = 0;
  const float slope = 2;
  u16 copy = 0;
  for (int i = 0; i < 2; ++i) vt_sgd(&weight, &slope, &velocity, 1, {0.1F, 0.5F, 0}, &copy);
  EXPECT_FLOAT_EQ(weight, 1 - 0.2F - 0.3F);
  EXPECT_EQ(copy, to_bf16(weight));
}
