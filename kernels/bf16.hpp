#pragma once
#include "kernels/formats.hpp"

namespace vt::kernels {

/// Eight bf16 numbers: what one thread loads or stores at once.
struct alignas(16) Eight {
  u16 at[8];
};
constexpr u64 kEight = 8;

VT_FUNCTION float from_bf16(u16 code) { return float_of(static_cast<u32>(code) << 16); }
/// As Bf16::encode rounds, in few instructions; NaN becomes one NaN.
VT_FUNCTION u16 to_bf16(float x) {
  u32 bits = bits_of(x);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return 0x7FC0;
  return static_cast<u16>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}
VT_FUNCTION Eight load_eight(const u16* from, u64 chunk) { return reinterpret_cast<const Eight*>(from)[chunk]; }
VT_FUNCTION void store_eight(u16* to, u64 chunk, const float* x) {
  Eight out;
  for (u64 e = 0; e < kEight; ++e) out.at[e] = to_bf16(x[e]);
  reinterpret_cast<Eight*>(to)[chunk] = out;
}

VT_KERNEL vt_to_bf16(const float* in, u64 n, u16* out) {
  for (VT_EACH(i, n)) out[i] = to_bf16(in[i]);
}

}  // namespace vt::kernels
