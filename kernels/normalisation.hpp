#pragma once
#include "kernels/bf16.hpp"

// Batch normalisation (Ioffe and Szegedy, 2015) of matrices in bf16 with a row for every pixel and a column for every channel, in eights.
// Sums over the rows are taken in parts, by neighbouring threads for neighbouring memory, and the parts are added in one order.

namespace vt::kernels {

/// What a channel is made of: mean and 1 / deviation of its column.
struct Moments {
  float *mean, *inverse;
};

/// Part p of the sums takes the rows p, p + parts, …; row p of `sums` holds the sums of all columns, then those of their squares, both of
/// the distance to the column's first element, so that nothing cancels.
VT_KERNEL vt_norm_sums(const u16* x, u64 rows, u64 channels, u64 parts, float* sums) {
  u64 chunks = channels / kEight;
  for (VT_EACH(i, parts * chunks)) {
    u64 chunk = i % chunks, part = i / chunks;
    float sum[kEight] = {}, squares[kEight] = {};
    Eight first = load_eight(x, chunk);
    for (u64 row = part; row < rows; row += parts) {
      Eight here = load_eight(x, row * chunks + chunk);
      for (u64 e = 0; e < kEight; ++e) {
        float apart = from_bf16(here.at[e]) - from_bf16(first.at[e]);
        sum[e] += apart, squares[e] += apart * apart;
      }
    }
    for (u64 e = 0; e < kEight; ++e) {
      sums[2 * part * channels + chunk * kEight + e] = sum[e];
      sums[(2 * part + 1) * channels + chunk * kEight + e] = squares[e];
    }
  }
}
/// Fewer parts of n sums each: part p of the result is the sum of the parts p, p + fewer, …
VT_KERNEL vt_fold_sums(const float* sums, u64 n, u64 parts, u64 fewer, float* out) {
  for (VT_EACH(i, fewer * n)) {
    float sum = 0;
    for (u64 part = i / n; part < parts; part += fewer) sum += sums[part * n + i % n];
    out[i] = sum;
  }
}
VT_KERNEL vt_norm_moments(const u16* x, const float* sums, u64 rows, u64 channels, u64 parts, Moments out) {
  for (VT_EACH(c, channels)) {
    float sum = 0, squares = 0, n = static_cast<float>(rows);
    for (u64 part = 0; part < parts; ++part) sum += sums[2 * part * channels + c], squares += sums[(2 * part + 1) * channels + c];
    float apart = sum / n, variance = squares / n - apart * apart;
    out.mean[c] = from_bf16(x[c]) + apart;
    out.inverse[c] = 1 / sqrtf((variance > 0 ? variance : 0) + 1e-5F);
  }
}

/// y = gain · (x - mean) / deviation + shift, plus `add` if there is one, then cut at zero if `cut`.
VT_KERNEL vt_normalise(const u16* x, Moments of, const float* gain, const float* shift, const u16* add, bool cut, u64 rows, u64 channels,
                       u16* y) {
  u64 chunks = channels / kEight;
  for (VT_EACH(i, rows * chunks)) {
    u64 c = i % chunks * kEight;
    Eight in = load_eight(x, i), more = {};
    if (add) more = load_eight(add, i);
    float out[kEight];
    for (u64 e = 0; e < kEight; ++e) {
      float value = gain[c + e] * ((from_bf16(in.at[e]) - of.mean[c + e]) * of.inverse[c + e]) + shift[c + e];
      if (add) value += from_bf16(more.at[e]);
      out[e] = cut && value < 0 ? 0 : value;
    }
    store_eight(y, i, out);
  }
}

/// The way back through the cut: dy = 0 where y is.
VT_KERNEL vt_cut_backward(const u16* y, u64 n, u16* dy) {
  for (VT_EACH(i, n / kEight)) {
    Eight up = load_eight(dy, i), out = load_eight(y, i);
    for (u64 e = 0; e < kEight; ++e) up.at[e] = (out.at[e] & 0x7FFF) == 0 ? static_cast<u16>(0) : up.at[e];
    reinterpret_cast<Eight*>(dy)[i] = up;
  }
}

/// Like vt_norm_sums: the sums of dy, then those of dy · (x - mean) / deviation.
VT_KERNEL vt_norm_slopes(const u16* dy, const u16* x, Moments of, u64 rows, u64 channels, u64 parts, float* sums) {
  u64 chunks = channels / kEight;
  for (VT_EACH(i, parts * chunks)) {
    u64 chunk = i % chunks, part = i / chunks, c = chunk * kEight;
    float sum[kEight] = {}, weighted[kEight] = {};
    for (u64 row = part; row < rows; row += parts) {
      Eight up = load_eight(dy, row * chunks + chunk), here = load_eight(x, row * chunks + chunk);
      for (u64 e = 0; e < kEight; ++e) {
        float slope = from_bf16(up.at[e]);
        sum[e] += slope, weighted[e] += slope * ((from_bf16(here.at[e]) - of.mean[c + e]) * of.inverse[c + e]);
      }
    }
    for (u64 e = 0; e < kEight; ++e) sums[2 * part * channels + c + e] = sum[e], sums[(2 * part + 1) * channels + c + e] = weighted[e];
  }
}
VT_KERNEL vt_norm_gradients(const float* sums, u64 channels, u64 parts, float* d_gain, float* d_shift) {
  for (VT_EACH(c, channels)) {
    float sum = 0, weighted = 0;
    for (u64 part = 0; part < parts; ++part) sum += sums[2 * part * channels + c], weighted += sums[(2 * part + 1) * channels + c];
    d_shift[c] = sum, d_gain[c] = weighted;
  }
}
/// dx may be dy.
VT_KERNEL vt_norm_backward(const u16* dy, const u16* x, Moments of, const float* gain, const float* d_gain, const float* d_shift, u64 rows,
                           u64 channels, u16* dx) {
  u64 chunks = channels / kEight;
  for (VT_EACH(i, rows * chunks)) {
    u64 c = i % chunks * kEight;
    Eight up = load_eight(dy, i), here = load_eight(x, i);
    float out[kEight], n = static_cast<float>(rows);
    for (u64 e = 0; e < kEight; ++e) {
      float normal = (from_bf16(here.at[e]) - of.mean[c + e]) * of.inverse[c + e];
      out[e] = gain[c + e] * of.inverse[c + e] * (from_bf16(up.at[e]) - d_shift[c + e] / n - normal * (d_gain[c + e] / n));
    }
    store_eight(dx, i, out);
  }
}

}  // namespace vt::kernels
