#pragma once
#include "kernels/gemm.hpp"

// One block of a transformer, forward and backward, in fp32: what is between its matrix products. Matrices are kept by rows, a row for
// every token. Every sum has one order, so the same input gives the same bits.

namespace vt::kernels {

/// x[t] = the embedding of token t plus that of its place in the sequence.
VT_KERNEL vt_embed(const u32* tokens, const float* token_table, const float* place_table, u64 rows, u64 length, u64 width, float* x) {
  for (VT_EACH(i, rows * width)) {
    u64 t = i / width, d = i % width;
    x[i] = token_table[tokens[t] * width + d] + place_table[t % length * width + d];
  }
}
/// Gradients of both tables.
VT_KERNEL vt_embed_backward(const u32* tokens, const float* dx, u64 rows, u64 length, u64 width, u64 vocabulary, float* d_token,
                            float* d_place) {
  for (VT_EACH(i, (vocabulary + length) * width)) {
    u64 which = i / width, d = i % width;
    bool place = which >= vocabulary;
    float sum = 0;
    for (u64 t = 0; t < rows; ++t) {
      if (place ? t % length == which - vocabulary : tokens[t] == which) sum += dx[t * width + d];
    }
    if (place) d_place[(which - vocabulary) * width + d] = sum;
    else d_token[i] = sum;
  }
}

/// y = gain · (x - mean) / deviation + shift by rows; keeps mean and 1 / deviation for the way back.
VT_KERNEL vt_layer_norm(const float* x, const float* gain, const float* shift, u64 rows, u64 width, float* y, float* mean, float* inverse) {
  for (VT_EACH(t, rows)) {
    const float* row = x + t * width;
    float n = static_cast<float>(width), sum = 0, squares = 0;
    for (u64 d = 0; d < width; ++d) sum += row[d];
    float middle = sum / n;
    for (u64 d = 0; d < width; ++d) squares += (row[d] - middle) * (row[d] - middle);
    float one_by = 1 / sqrtf(squares / n + 1e-5F);
    for (u64 d = 0; d < width; ++d) y[t * width + d] = gain[d] * (row[d] - middle) * one_by + shift[d];
    mean[t] = middle, inverse[t] = one_by;
  }
}
/// Adds to dx if `add`.
VT_KERNEL vt_layer_norm_backward(const float* dy, const float* x, const float* gain, const float* mean, const float* inverse, u64 rows,
                                 u64 width, bool add, float* dx) {
  for (VT_EACH(t, rows)) {
    const float *row = x + t * width, *up = dy + t * width;
    float n = static_cast<float>(width), sum = 0, weighted = 0;
    for (u64 d = 0; d < width; ++d) {
      float g = up[d] * gain[d];
      sum += g, weighted += g * (row[d] - mean[t]) * inverse[t];
    }
    for (u64 d = 0; d < width; ++d) {
      float normal = (row[d] - mean[t]) * inverse[t];
      float slope = (up[d] * gain[d] - sum / n - normal * weighted / n) * inverse[t];
      dx[t * width + d] = add ? dx[t * width + d] + slope : slope;
    }
  }
}
VT_KERNEL vt_layer_norm_weights(const float* dy, const float* x, const float* mean, const float* inverse, u64 rows, u64 width,
                                float* d_gain, float* d_shift) {
  for (VT_EACH(d, width)) {
    float gain = 0, shift = 0;
    for (u64 t = 0; t < rows; ++t) {
      gain += dy[t * width + d] * (x[t * width + d] - mean[t]) * inverse[t];
      shift += dy[t * width + d];
    }
    d_gain[d] = gain, d_shift[d] = shift;
  }
}

/// Gaussian error linear unit by its usual approximation (Hendrycks and Gimpel, 2016).
VT_FUNCTION float gelu_inner(float x) { return 0.7978845608F * (x + 0.044715F * x * x * x); }
VT_KERNEL vt_gelu(const float* x, u64 n, float* y) {
  for (VT_EACH(i, n)) y[i] = 0.5F * x[i] * (1 + tanhf(gelu_inner(x[i])));
}
/// dx may be dy.
VT_KERNEL vt_gelu_backward(const float* x, const float* dy, u64 n, float* dx) {
  for (VT_EACH(i, n)) {
    float th = tanhf(gelu_inner(x[i])), slope = 0.7978845608F * (1 + 0.134145F * x[i] * x[i]);
    dx[i] = dy[i] * (0.5F * (1 + th) + 0.5F * x[i] * (1 - th * th) * slope);
  }
}

/// Sequences of `length` tokens, `heads` heads of `depth`; a row of qkv holds queries, keys and values of all heads.
struct AttentionSize {
  u64 batch, length, heads, depth;
};
VT_FUNCTION const float* part_of(const float* qkv, AttentionSize s, u64 b, u64 t, u64 part, u64 head) {
  return qkv + ((b * s.length + t) * 3 + part) * s.heads * s.depth + head * s.depth;
}
VT_FUNCTION float dot(const float* a, const float* b, u64 n) {
  float sum = 0;
  for (u64 i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}
/// Causal attention, one item for each query of each head. `shares` keeps the softmax: (batch · heads) matrices of length x length.
VT_KERNEL vt_attention(const float* qkv, AttentionSize s, float* shares, float* out) {
  for (VT_EACH(i, s.batch * s.heads * s.length)) {
    u64 t = i % s.length, head = i / s.length % s.heads, b = i / s.length / s.heads;
    const float* query = part_of(qkv, s, b, t, 0, head);
    float *share = shares + i * s.length, largest = -1e30F, sum = 0, scale = 1 / sqrtf(static_cast<float>(s.depth));
    for (u64 j = 0; j <= t; ++j) {
      share[j] = scale * dot(query, part_of(qkv, s, b, j, 1, head), s.depth);
      largest = share[j] > largest ? share[j] : largest;
    }
    for (u64 j = 0; j <= t; ++j) sum += share[j] = expf(share[j] - largest);
    for (u64 j = 0; j < s.length; ++j) share[j] = j <= t ? share[j] / sum : 0;
    float* to = out + ((b * s.length + t) * s.heads + head) * s.depth;
    for (u64 d = 0; d < s.depth; ++d) {
      float value = 0;
      for (u64 j = 0; j <= t; ++j) value += share[j] * part_of(qkv, s, b, j, 2, head)[d];
      to[d] = value;
    }
  }
}
/// Gradients of the queries, and of the scores into `slopes` (shaped like `shares`).
VT_KERNEL vt_attention_queries(const float* qkv, const float* shares, const float* d_out, AttentionSize s, float* slopes, float* d_qkv) {
  for (VT_EACH(i, s.batch * s.heads * s.length)) {
    u64 t = i % s.length, head = i / s.length % s.heads, b = i / s.length / s.heads;
    const float *share = shares + i * s.length, *up = d_out + ((b * s.length + t) * s.heads + head) * s.depth;
    float *slope = slopes + i * s.length, sum = 0, scale = 1 / sqrtf(static_cast<float>(s.depth));
    for (u64 j = 0; j <= t; ++j) {
      slope[j] = dot(up, part_of(qkv, s, b, j, 2, head), s.depth);
      sum += share[j] * slope[j];
    }
    for (u64 j = 0; j < s.length; ++j) slope[j] = j <= t ? share[j] * (slope[j] - sum) * scale : 0;
    float* to = const_cast<float*>(part_of(d_qkv, s, b, t, 0, head));
    for (u64 d = 0; d < s.depth; ++d) {
      float value = 0;
      for (u64 j = 0; j <= t; ++j) value += slope[j] * part_of(qkv, s, b, j, 1, head)[d];
      to[d] = value;
    }
  }
}
/// Gradients of the keys and values.
VT_KERNEL vt_attention_keys(const float* qkv, const float* shares, const float* slopes, const float* d_out, AttentionSize s, float* d_qkv) {
  for (VT_EACH(i, s.batch * s.heads * s.length)) {
    u64 j = i % s.length, head = i / s.length % s.heads, b = i / s.length / s.heads, first = (i - j) * s.length;
    float* key = const_cast<float*>(part_of(d_qkv, s, b, j, 1, head));
    float* value = const_cast<float*>(part_of(d_qkv, s, b, j, 2, head));
    for (u64 d = 0; d < s.depth; ++d) {
      float k = 0, v = 0;
      for (u64 t = j; t < s.length; ++t) {
        k += slopes[first + t * s.length + j] * part_of(qkv, s, b, t, 0, head)[d];
        v += shares[first + t * s.length + j] * d_out[((b * s.length + t) * s.heads + head) * s.depth + d];
      }
      key[d] = k, value[d] = v;
    }
  }
}

/// Cross entropy of softmax(logits) by rows; logits become the gradient of the mean.
VT_KERNEL vt_cross_entropy(float* logits, const u32* targets, u64 rows, u64 vocabulary, float* losses) {
  for (VT_EACH(t, rows)) {
    float *row = logits + t * vocabulary, largest = row[0], sum = 0, target = row[targets[t]];
    for (u64 v = 0; v < vocabulary; ++v) largest = row[v] > largest ? row[v] : largest;
    for (u64 v = 0; v < vocabulary; ++v) sum += row[v] = expf(row[v] - largest);
    losses[t] = logf(sum) - (target - largest);
    for (u64 v = 0; v < vocabulary; ++v) row[v] = (row[v] / sum - (v == targets[t] ? 1.0F : 0.0F)) / static_cast<float>(rows);
  }
}

/// AdamW (Loshchilov and Hutter, 2019). The corrections are 1 - beta^step; gradients are multiplied by `scale` first.
struct AdamW {
  float rate, beta1, beta2, epsilon, decay, correction1, correction2, scale;
};
VT_KERNEL vt_adamw(float* weights, const float* gradients, float* mean, float* square, u64 n, AdamW o) {
  for (VT_EACH(i, n)) {
    float g = gradients[i] * o.scale;
    mean[i] = o.beta1 * mean[i] + (1 - o.beta1) * g;
    square[i] = o.beta2 * square[i] + (1 - o.beta2) * g * g;
    weights[i] -= o.rate * (mean[i] / o.correction1 / (sqrtf(square[i] / o.correction2) + o.epsilon) + o.decay * weights[i]);
  }
}

}  // namespace vt::kernels
