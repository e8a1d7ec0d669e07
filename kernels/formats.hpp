#pragma once
#include "kernels/pattern.hpp"

namespace vt::kernels {

/// What matrices are made of. Codes of small formats lie in words of 64 bits, the first element in the lowest bits. int32 is what products
/// of int8 are kept in.
enum class Format : u32 { fp64, fp32, tf32, bf16, fp16, e4m3, e5m2, nvfp4, int8, int32 };

/// Bits of one element; tf32 is kept as fp32 whose lower bits are zero.
VT_FUNCTION u32 bits_per(Format f) {
  switch (f) {
    case Format::fp64: return 64;
    case Format::fp32:
    case Format::tf32:
    case Format::int32: return 32;
    case Format::bf16:
    case Format::fp16: return 16;
    case Format::nvfp4: return 4;
    default: return 8;
  }
}

#ifdef VT_GPU
#define VT_MEMBER VT_FUNCTION
VT_FUNCTION u64 bits_of(double x) { return static_cast<u64>(__double_as_longlong(x)); }
VT_FUNCTION double double_of(u64 bits) { return __longlong_as_double(static_cast<i64>(bits)); }
#else
#define VT_MEMBER static inline
VT_FUNCTION u64 bits_of(double x) {
  u64 bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
VT_FUNCTION double double_of(u64 bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
#endif

/// 2 to the power k, -149 … 127.
VT_FUNCTION float power_of_two(int k) { return float_of(k < -126 ? 1U << (k + 149) : static_cast<u32>(k + 127) << 23); }

/// A format of one sign bit, E exponent bits and M mantissa bits with the usual bias and subnormals. Codes above Largest are infinity
/// (the next one, if it has any) and NaN; what is too large becomes Overflow. Rounds to nearest, ties to even: IEEE 754 for fp16,
/// the OCP specifications of 8-bit floating point (2023, saturating conversion) and of microscaling formats (2023, for e2m1).
template <int E, int M, u32 Largest, u32 Overflow, bool Infinite>
struct Small {
  static constexpr int kBias = (1 << (E - 1)) - 1;
  static constexpr u32 kSign = 1U << (E + M), kNan = kSign - 1;

  VT_MEMBER u32 encode(float x) {
    u32 bits = bits_of(x), sign = bits >> 31 ? kSign : 0, magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) return sign | kNan;
    int exponent = static_cast<int>(magnitude >> 23);
    u32 fraction = magnitude & 0x7FFFFFU;
    if (exponent) fraction |= 0x800000U;
    else exponent = 1;
    int target = exponent - 127 + kBias, shift = 23 - M;
    if (target < 1) shift += 1 - target, target = 1;
    if (shift > 25) shift = 25;  // all of it is below half of the smallest number
    u32 kept = fraction >> shift, rest = fraction & ((1U << shift) - 1), half = 1U << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    u32 code = (static_cast<u32>(target - 1) << M) + kept;  // `kept` has the leading one, and may have carried into the exponent
    return sign | (code > Largest ? Overflow : code);
  }

  VT_MEMBER float decode(u32 code) {
    u32 sign = code & kSign ? 1U << 31 : 0, magnitude = code & kNan, mantissa = magnitude & ((1U << M) - 1);
    int exponent = static_cast<int>(magnitude >> M);
    if (magnitude > Largest) return float_of(sign | (Infinite && magnitude == Largest + 1 ? 0x7F800000U : 0x7FC00000U));
    if (exponent == 0) return float_of(sign | bits_of(static_cast<float>(mantissa) * power_of_two(1 - kBias - M)));
    return float_of(sign | (static_cast<u32>(exponent - kBias + 127) << 23) | (mantissa << (23 - M)));
  }
};

typedef Small<8, 7, 0x7F7F, 0x7F80, true> Bf16;
typedef Small<5, 10, 0x7BFF, 0x7C00, true> Fp16;
typedef Small<4, 3, 0x7E, 0x7E, false> E4m3;
typedef Small<5, 2, 0x7B, 0x7B, true> E5m2;
typedef Small<2, 1, 0x7, 0x7, false> E2m1;
typedef Small<8, 10, 0x3FBFF, 0x3FC00, true> Tf32;

VT_SEPARATE float rounded_to_tf32(float x) { return Tf32::decode(Tf32::encode(x)); }

/// Two's complement of `Bits` bits. Rounds to nearest, ties to even; what is too large becomes the largest.
template <int Bits>
struct Whole {
  static constexpr double kMost = (1ULL << (Bits - 1)) - 1;
  static constexpr u64 kSign = 1ULL << (Bits - 1), kMask = 2 * kSign - 1;

  VT_MEMBER u64 encode(double x) {
    double nearest = rint(x);
    if (nearest > kMost) nearest = kMost;
    if (nearest < -kMost - 1) nearest = -kMost - 1;
    return static_cast<u64>(static_cast<i64>(nearest)) & kMask;
  }
  VT_MEMBER double decode(u64 code) { return static_cast<double>(static_cast<i64>((code & kMask) ^ kSign) - static_cast<i64>(kSign)); }
};
typedef Whole<8> Int8;
typedef Whole<32> Int32;

VT_SEPARATE u64 encode(Format f, double x) {
  float y = static_cast<float>(x);
  switch (f) {
    case Format::fp64: return bits_of(x);
    case Format::fp32: return bits_of(y);
    case Format::tf32: return bits_of(rounded_to_tf32(y));
    case Format::bf16: return Bf16::encode(y);
    case Format::fp16: return Fp16::encode(y);
    case Format::e4m3: return E4m3::encode(y);
    case Format::e5m2: return E5m2::encode(y);
    case Format::int8: return Int8::encode(x);
    case Format::int32: return Int32::encode(x);
    default: return E2m1::encode(y);
  }
}

VT_SEPARATE double decode(Format f, u64 code) {
  u32 low = static_cast<u32>(code);
  switch (f) {
    case Format::fp64: return double_of(code);
    case Format::fp32:
    case Format::tf32: return float_of(low);
    case Format::bf16: return Bf16::decode(low);
    case Format::fp16: return Fp16::decode(low);
    case Format::e4m3: return E4m3::decode(low);
    case Format::e5m2: return E5m2::decode(low);
    case Format::int8: return Int8::decode(code);
    case Format::int32: return Int32::decode(code);
    default: return E2m1::decode(low);
  }
}

/// Element i of packed codes.
VT_FUNCTION u64 code_at(const u64* words, Format f, u64 i) {
  u64 bits = bits_per(f), at = i * bits;
  return bits == 64 ? words[i] : words[at >> 6] >> (at & 63) & ((1ULL << bits) - 1);
}
VT_SEPARATE double value_at(const u64* words, Format f, u64 i) { return decode(f, code_at(words, f, i)); }

/// NVFP4: sixteen neighbours share a scale in (unsigned) e4m3, chosen so that the largest of them becomes 6, the largest e2m1.
constexpr u64 kScaled = 16;
VT_FUNCTION u8 scale_code(const double* block) {
  double largest = 0;
  for (u64 i = 0; i < kScaled; ++i) largest = fabs(block[i]) > largest ? fabs(block[i]) : largest;
  u32 code = E4m3::encode(static_cast<float>(largest / 6));
  return static_cast<u8>(code ? code : E4m3::encode(1));
}
/// Where the scale of block `block` of row `row` lies in the tiled order that tensor cores want: tiles of 128 rows and 4 blocks, a tile
/// is 32 lines of 16 bytes (cuBLAS documentation, "1D Block Scaling Factors Layout"). `blocks` are those of a row, a multiple of 4.
VT_FUNCTION u64 scale_index(u64 row, u64 block, u64 blocks) {
  u64 tile = row / 128 * (blocks / 4) + block / 4;
  return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + block % 4;
}

/// What operands are drawn from.
enum class Draw : u32 { normal, integers };

/// The n-th number of a bell curve with mean 0 and variance 1: the sum of six uniform numbers of 21 bits (Irwin and Hall), cut at
/// ±4.24. Only integers are added and one product is rounded, so every machine draws the same.
VT_FUNCTION double normal_at(u64 seed, u64 n) {
  u64 sum = 0;
  for (u64 w = 0; w < 2; ++w) {
    u64 word = word_at(seed, 2 * n + w);
    sum += (word & 0x1FFFFF) + (word >> 21 & 0x1FFFFF) + (word >> 42 & 0x1FFFFF);
  }
  constexpr double kMean = 3 * 2097151.0, kScale = 6.743495762e-7;  // 1 / sqrt(6 · (2^42 - 1) / 12)
  return (static_cast<double>(sum) - kMean) * kScale;
}
/// The n-th of the numbers -1, 0, 1: sums of their products are exact in every format's accumulator.
VT_FUNCTION double integer_at(u64 seed, u64 n) { return static_cast<double>(word_at(seed, n) % 3) - 1; }

/// Standard deviation of drawn int8: the bell curve, which ends at 4.24, just fits. Partial sums of k products are then far below 2^24
/// (for k = 16384 by more than 100 standard deviations), so that fp32 adds them without rounding and a product has exactly one right
/// answer.
constexpr double kInt8Deviation = 29.9;

/// Draws block `block` and rounds it to the format: what a matrix holds, on any machine. Returns the scale's code (NVFP4).
VT_FUNCTION u8 draw_block(double* x, Format f, Draw draw, u64 seed, u64 block) {
  for (u64 i = 0; i < kScaled; ++i)
    x[i] = draw == Draw::normal ? normal_at(seed, block * kScaled + i) : integer_at(seed, block * kScaled + i);
  u8 scale = 0;
  double unit = 1, stretch = f == Format::int8 && draw == Draw::normal ? kInt8Deviation : 1;
  if (f == Format::nvfp4) scale = draw == Draw::normal ? scale_code(x) : static_cast<u8>(E4m3::encode(1)), unit = E4m3::decode(scale);
  for (u64 i = 0; i < kScaled; ++i) x[i] = decode(f, encode(f, x[i] * stretch / unit)) * unit;
  return scale;
}

/// Fills `rows` rows of k elements (a multiple of 16; of 64 for NVFP4) and, for NVFP4, their scales.
VT_KERNEL vt_draw_matrix(u64* out, u8* scales, Format f, Draw draw, u64 rows, u64 k, u64 seed) {
  u64 blocks = k / kScaled, bits = bits_per(f), per_word = 64 / bits;
  for (VT_EACH(b, rows * blocks)) {
    double x[kScaled], unit = 1;
    u8 scale = draw_block(x, f, draw, seed, b);
    if (f == Format::nvfp4) scales[scale_index(b / blocks, b % blocks, blocks)] = scale, unit = E4m3::decode(scale);
    for (u64 w = 0; w < bits / 4; ++w) {
      u64 word = 0;
      for (u64 e = 0; e < per_word; ++e) word |= encode(f, x[w * per_word + e] / unit) << (e * bits);
      out[b * (bits / 4) + w] = word;
    }
  }
}

/// The matrix as fp32 numbers (exact for all formats but fp64).
VT_KERNEL vt_decode_matrix(const u64* in, const u8* scales, Format f, u64 rows, u64 k, float* out) {
  u64 blocks = k / kScaled;
  for (VT_EACH(i, rows * k)) {
    double unit = f == Format::nvfp4 ? E4m3::decode(scales[scale_index(i / k, i % k / kScaled, blocks)]) : 1;
    out[i] = static_cast<float>(value_at(in, f, i) * unit);
  }
}

}  // namespace vt::kernels
