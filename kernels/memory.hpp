#pragma once
#include "kernels/copy.hpp"
#include "kernels/pattern.hpp"

namespace vt::kernels {

// --- what memory is timed with ---------------------------------------------------------------------------------------------------

/// Adds every thread's share to the sum. All threads of a warp come here: on a GPU they add up theirs first, as an atomic operation per
/// thread at one address would take longer than what is read.
VT_FUNCTION void add_shares(u64* sum, u64 mine) {
#ifdef VT_GPU
  for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_down_sync(~0u, mine, distance);
  if (threadIdx.x % 32 == 0) add_atomically(sum, mine);
#else
  add_atomically(sum, mine);
#endif
}

/// Adds up n times 16 bytes.
VT_KERNEL vt_read_wide(const Wide* __restrict__ in, u64 n, u64* sum) {
  u64 step = item_step(), mine = 0;
  for (u64 i = first_item(); i < n; i += kUnderWay * step) {
    Wide held[kUnderWay] = {};
    for (u64 j = 0; j < kUnderWay; ++j)
      if (i + j * step < n) held[j] = in[i + j * step];
    for (auto& h : held) mine += h.x + h.y;
  }
  add_shares(sum, mine);
}
/// What vt_read_wide must find in n words of the stream `seed`.
VT_KERNEL vt_sum_words(u64 n, u64 seed, u64* sum) {
  u64 mine = 0;
  for (VT_EACH(i, n)) mine += word_at(seed, i);
  add_shares(sum, mine);
}

/// Word k becomes first + k.
VT_KERNEL vt_write_wide(Wide* out, u64 n, u64 first) {
  for (VT_EACH(i, n)) out[i] = {first + 2 * i, first + 2 * i + 1};
}
VT_KERNEL vt_verify_count(const u64* in, u64 n, u64 first, Miscompares* wrong) {
  for (VT_EACH(i, n))
    if (in[i] != first + i) report(wrong, i, first + i, in[i]);
}

/// out = b + 3 c, word by word: the triad of STREAM (McCalpin 1995) on integers, which are exact.
VT_KERNEL vt_triad_wide(Wide* __restrict__ out, const Wide* __restrict__ b, const Wide* __restrict__ c, u64 n) {
  u64 step = item_step();
  for (u64 i = first_item(); i < n; i += 2 * step) {
    bool second = i + step < n;
    Wide b0 = b[i], c0 = c[i], b1 = second ? b[i + step] : b0, c1 = second ? c[i + step] : c0;
    out[i] = {b0.x + 3 * c0.x, b0.y + 3 * c0.y};
    if (second) out[i + step] = {b1.x + 3 * c1.x, b1.y + 3 * c1.y};
  }
}
VT_KERNEL vt_verify_triad(const u64* in, u64 n, u64 seed_b, u64 seed_c, Miscompares* wrong) {
  for (VT_EACH(i, n)) {
    u64 expected = word_at(seed_b, i) + 3 * word_at(seed_c, i);
    if (in[i] != expected) report(wrong, i, expected, in[i]);
  }
}

// --- what memory is tested with --------------------------------------------------------------------------------------------------

/// What a cell holds; `seed` is a number of the first word, a shift, a word or a stream.
enum class Cells : u32 { own_address, walking_bit, solid, random };

/// The i-th 16 bytes of a pattern. Cheap, so that the memory stays what is waited for; random words take one hash for both.
template <Cells kind>
VT_FUNCTION Wide cells(u64 i, u64 seed) {
  if constexpr (kind == Cells::own_address) return {seed + 2 * i, seed + 2 * i + 1};
  else if constexpr (kind == Cells::walking_bit) return {1ULL << ((2 * i + seed) & 63), 1ULL << ((2 * i + 1 + seed) & 63)};
  else if constexpr (kind == Cells::solid) return {seed, seed};
  else {
    u64 z = (i + seed) * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 32)) * 0xD6E8FEB86659FD93ULL;
    z ^= z >> 32;
    return {z, ~(z << 29 | z >> 35)};
  }
}

/// A word that was not what had been written. `again`: what a second read found.
struct WrongCell {
  u64 word, expected, found, again;
};
struct MemoryErrors {
  static constexpr u64 kKept = 16, kCounted = 65536;
  u64 count;                 ///< exact
  u64 set[64], cleared[64];  ///< how often each bit was 1 for 0, and 0 for 1, in the first kCounted words
  WrongCell first[kKept];
};

VT_SEPARATE void compare_word(u64 expected, u64 found, u64 word, const Wide* area, MemoryErrors* errors) {
  if (found == expected) return;
  u64 n = add_atomically(&errors->count, 1);
  if (n < MemoryErrors::kKept) errors->first[n] = {word, expected, found, reinterpret_cast<const volatile u64*>(area)[word]};
  for (u64 bit = 0; n < MemoryErrors::kCounted && bit < 64; ++bit)
    if ((expected ^ found) >> bit & 1) add_atomically(found >> bit & 1 ? &errors->set[bit] : &errors->cleared[bit], 1);
}

struct CellRange {
  u64 n;          ///< times 16 bytes
  u64 seed;       ///< of the pattern
  u64 flip;       ///< 0, or all ones: the pattern's complement
  u64 backwards;  ///< from the end to the beginning: another order than the one of writing
};

template <Cells kind>
VT_FUNCTION void write_cells(Wide* out, CellRange r) {
  for (VT_EACH(i, r.n)) {
    Wide w = cells<kind>(i, r.seed);
    out[i] = {w.x ^ r.flip, w.y ^ r.flip};
  }
}

/// Compares, and leaves the complement behind if `invert`.
template <Cells kind, bool invert>
VT_FUNCTION void check_cells(Wide* area, CellRange r, MemoryErrors* errors) {
  u64 step = item_step();
  for (u64 i = first_item(); i < r.n; i += kUnderWay * step) {
    Wide found[kUnderWay];
    for (u64 j = 0; j < kUnderWay; ++j) {
      u64 k = i + j * step;
      if (k < r.n) found[j] = area[r.backwards ? r.n - 1 - k : k];
    }
    for (u64 j = 0; j < kUnderWay; ++j) {
      u64 k = i + j * step;
      if (k >= r.n) break;
      if (r.backwards) k = r.n - 1 - k;
      Wide w = cells<kind>(k, r.seed);
      w = {w.x ^ r.flip, w.y ^ r.flip};
      compare_word(w.x, found[j].x, 2 * k, area, errors), compare_word(w.y, found[j].y, 2 * k + 1, area, errors);
      if (invert) area[k] = {~w.x, ~w.y};
    }
  }
}

VT_KERNEL vt_memory_write(Wide* out, Cells kind, CellRange range) {
  if (kind == Cells::own_address) write_cells<Cells::own_address>(out, range);
  else if (kind == Cells::walking_bit) write_cells<Cells::walking_bit>(out, range);
  else if (kind == Cells::solid) write_cells<Cells::solid>(out, range);
  else write_cells<Cells::random>(out, range);
}
VT_KERNEL vt_memory_check(Wide* area, Cells kind, CellRange range, MemoryErrors* errors) {
  if (kind == Cells::own_address) check_cells<Cells::own_address, false>(area, range, errors);
  else if (kind == Cells::walking_bit) check_cells<Cells::walking_bit, false>(area, range, errors);
  else if (kind == Cells::solid) check_cells<Cells::solid, false>(area, range, errors);
  else check_cells<Cells::random, false>(area, range, errors);
}
/// One step of moving inversions: every cell is checked and turned into its complement in the same visit.
VT_KERNEL vt_memory_invert(Wide* area, Cells kind, CellRange range, MemoryErrors* errors) {
  if (kind == Cells::own_address) check_cells<Cells::own_address, true>(area, range, errors);
  else if (kind == Cells::walking_bit) check_cells<Cells::walking_bit, true>(area, range, errors);
  else if (kind == Cells::solid) check_cells<Cells::solid, true>(area, range, errors);
  else check_cells<Cells::random, true>(area, range, errors);
}

}  // namespace vt::kernels
