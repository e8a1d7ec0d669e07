#pragma once
#include "kernels/bf16.hpp"

// What a step of training has around its layers: a batch to learn, the classifier's bias, the mean loss, and the optimiser.

namespace vt::kernels {

/// Images of which each has colours of its own, in 8 x 8 patches, under noise: a batch that can be learnt by heart.
VT_FUNCTION float picture_at(u64 seed, u64 size, u64 i) {
  u64 channel = i % 3, x = i / 3 % size, y = i / 3 / size % size, image = i / 3 / size / size;
  u64 patch = ((image * 8 + y * 8 / size) * 8 + x * 8 / size) * 3 + channel;
  return static_cast<float>(0.8 * normal_at(seed, patch) + 0.3 * normal_at(~seed, i));
}
VT_KERNEL vt_draw_pictures(u64 seed, u64 images, u64 size, u16* out) {
  for (VT_EACH(i, images * size * size * 3)) out[i] = to_bf16(picture_at(seed, size, i));
}

/// Every row of a matrix is `row`.
VT_KERNEL vt_repeat_row(const float* row, u64 rows, u64 width, float* out) {
  for (VT_EACH(i, rows * width)) out[i] = row[i % width];
}
VT_KERNEL vt_sum_rows(const float* in, u64 rows, u64 width, float* out) {
  for (VT_EACH(c, width)) {
    float sum = 0;
    for (u64 r = 0; r < rows; ++r) sum += in[r * width + c];
    out[c] = sum;
  }
}
VT_KERNEL vt_mean(const float* in, u64 n, float* out) {
  for (VT_EACH(i, 1)) {
    float sum = 0;
    for (u64 j = 0; j < n; ++j) sum += in[j];
    out[i] = sum / static_cast<float>(n);
  }
}

/// Stochastic gradient descent with momentum (Sutskever et al., 2013, as PyTorch has it) on weights in fp32, and their copy in bf16.
struct Momentum {
  float rate, momentum, decay;
};
VT_KERNEL vt_sgd(float* weights, const float* gradients, float* velocity, u64 n, Momentum o, u16* copy) {
  for (VT_EACH(i, n)) {
    velocity[i] = o.momentum * velocity[i] + gradients[i] + o.decay * weights[i];
    weights[i] -= o.rate * velocity[i];
    copy[i] = to_bf16(weights[i]);
  }
}

}  // namespace vt::kernels
