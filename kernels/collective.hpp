#pragma once
#include "kernels/pattern.hpp"

namespace vt::kernels {

/// What rank `rank` contributes at place i: a whole number below 2^16, so that a sum over up to 256 ranks is exact in float
/// in whatever order it is made.
VT_FUNCTION float contribution(u64 seed, u64 rank, u64 i) {
  return static_cast<float>(word_at(seed ^ (rank * 0xD1B54A32D192ED03ULL), i) & 0xFFFF);
}

/// out[i] = what `rank` contributes at place first + i.
VT_KERNEL vt_fill_contribution(float* out, u64 n, u64 seed, u64 rank, u64 first) {
  for (VT_EACH(i, n)) out[i] = contribution(seed, rank, first + i);
}

/// Counts the elements that are not, bit for bit, the sum of what ranks first_rank … first_rank + ranks - 1 contribute at place
/// first + i; with one rank: its data. Reported words are the bits of the floats. `wrong` is zeroed by the caller.
VT_KERNEL vt_verify_contribution(const float* in, u64 n, u64 seed, u64 first_rank, u64 ranks, u64 first, Miscompares* wrong) {
  for (VT_EACH(i, n)) {
    float expected = 0;
    for (u64 r = 0; r < ranks; ++r) expected += contribution(seed, first_rank + r, first + i);
    float found = in[i];
    if (bits_of(found) != bits_of(expected)) report(wrong, first + i, bits_of(expected), bits_of(found));
  }
}

}  // namespace vt::kernels
