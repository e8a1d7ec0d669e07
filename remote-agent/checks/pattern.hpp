#pragma once
#include <cstdint>
#include <cstring>

namespace vt::checks {

/// The n-th word of a pseudorandom stream, computable on its own (the finaliser of SplitMix64, Steele, Lea and Flood 2014):
/// what was written can be checked without keeping it.
constexpr std::uint64_t word_at(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t z = seed + (n + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

}  // namespace vt::checks
