#pragma once
#include "kernels/language.hpp"

namespace vt::kernels {

/// The n-th word of a pseudorandom stream, computable on its own (the finaliser of SplitMix64, Steele, Lea and Flood 2014):
/// what was written can be checked without keeping it.
VT_FUNCTION u64 word_at(u64 seed, u64 n) {
  u64 z = seed + (n + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// out[i] = the i-th word of the stream `seed`.
VT_KERNEL vt_fill_words(u64* out, u64 n, u64 seed) {
  for (VT_EACH(i, n)) out[i] = word_at(seed, i);
}

/// One word that is not what was written.
struct Miscompare {
  u64 index, expected, found;
};
/// Where kernels report wrong words: how many, and the first few of them.
struct Miscompares {
  static constexpr u64 kKept = 16;
  u64 count;
  Miscompare first[kKept];
};
VT_SEPARATE void report(Miscompares* wrong, u64 index, u64 expected, u64 found) {
  u64 n = add_atomically(&wrong->count, 1);
  if (n < Miscompares::kKept) wrong->first[n] = {index, expected, found};
}

/// Counts the words that differ from the stream `seed`. `wrong` is zeroed by the caller.
VT_KERNEL vt_verify_words(const u64* in, u64 n, u64 seed, Miscompares* wrong) {
  for (VT_EACH(i, n)) {
    u64 expected = word_at(seed, i), found = in[i];
    if (found != expected) report(wrong, i, expected, found);
  }
}

/// Flips bit `bit` of word `index`: what a checker must find when it proves itself.
VT_KERNEL vt_flip_bit(u64* words, u64 index, u64 bit) {
  for (VT_EACH(i, 1)) words[index + i] ^= 1ULL << bit;
}

}  // namespace vt::kernels
