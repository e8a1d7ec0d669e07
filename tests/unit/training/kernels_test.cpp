#include "kernels/training.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace vt::kernels;

namespace {

struct OneLane : testing::Test {
  void SetUp() override { lane = {0, 1}; }
};

}  // namespace

using Kernels = OneLane;

TEST_F(Kernels, LayerNormHasMeanZeroAndDeviationOne) {
  const float x[] = {1, 2, 3, 4}, gain[] = {1, 1, 1, 1}, shift[] = {0, 0, 0, 10};
  float y[4], mean = 0, inverse = 0;
  vt_layer_norm(x, gain, shift, 1, 4, y, &mean, &inverse);
  EXPECT_FLOAT_EQ(mean, 2.5F);
  EXPECT_NEAR(inverse, 1 / std::sqrt(1.25), 1e-5);
  EXPECT_NEAR(y[0], -1.3416, 1e-3);
  EXPECT_NEAR(y[3], 11.3416, 1e-3);
}

TEST_F(Kernels, AttentionLooksBackOnly) {
  const AttentionSize size{1, 2, 1, 1};
  const float qkv[] = {1, 1, 5, 1, 1, 9};  // two tokens: query, key, value
  float shares[4], out[2];
  vt_attention(qkv, size, shares, out);
  EXPECT_FLOAT_EQ(out[0], 5);
  EXPECT_FLOAT_EQ(out[1], 7);  // equal scores
  EXPECT_EQ(shares[1], 0);
}

TEST_F(Kernels, CrossEntropyOfEqualLogits) {
  float logits[] = {2, 2, 2, 2}, loss = 0;
  const u32 target = 1;
  vt_cross_entropy(logits, &target, 1, 4, &loss);
  EXPECT_NEAR(loss, std::log(4.0), 1e-6);
  EXPECT_FLOAT_EQ(logits[0], 0.25F);
  EXPECT_FLOAT_EQ(logits[1], -0.75F);
}

TEST_F(Kernels, GeluSlopeIsItsDifference) {
  for (float x : {-3.0F, -0.5F, 0.0F, 0.7F, 2.5F}) {
    const float around[] = {x - 1e-2F, x + 1e-2F}, one = 1;
    float y[2], slope = 0;
    vt_gelu(around, 2, y);
    vt_gelu_backward(&x, &one, 1, &slope);
    EXPECT_NEAR(slope, (y[1] - y[0]) / 2e-2F, 1e-3) << x;
  }
}

/// The first step moves every weight by the rate against the sign of its gradient, whatever its size.
TEST_F(Kernels, AdamsFirstStep) {
  float weights[] = {1, 1}, mean[2] = {}, square[2] = {};
  const float gradients[] = {0.001F, -50};
  vt_adamw(weights, gradients, mean, square, 2, {0.1F, 0.9F, 0.99F, 1e-8F, 0, 0.1F, 0.01F, 1});
  EXPECT_NEAR(weights[0], 0.9, 1e-4);
  EXPECT_NEAR(weights[1], 1.1, 1e-4);
}
