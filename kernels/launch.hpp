#pragma once
#include "kernels/pattern.hpp"

namespace vt::kernels {

/// Nothing: what a launch costs by itself.
VT_KERNEL vt_nothing() {}

/// One more.
VT_KERNEL vt_count_up(u64* count) {
  for (VT_EACH(i, 1)) count[i] += 1;
}

/// Fills cells with the stream `seed`; once every thread of the grid has done so, out[i] = the cell at the other end. Launched
/// cooperatively all blocks run at once, and wait for each other here; after `limit_ns` they give up and leave `out` as it is.
/// The processor's threads need not wait to know what is in a cell. `arrived` is zeroed by the caller.
VT_KERNEL vt_exchange_cells(u64* cells, u64 n, u64 seed, [[maybe_unused]] u64* arrived, [[maybe_unused]] u64 limit_ns, u64* out) {
  for (VT_EACH(i, n)) cells[i] = word_at(seed, i);
#ifdef VT_GPU
  __threadfence();
  add_atomically(arrived, 1);
  volatile u64* there = arrived;
  u64 start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  while (there[0] < item_step() && now - start < limit_ns);
  if (there[0] < item_step()) return;
  __threadfence();
  volatile u64* written = cells;
  for (VT_EACH(i, n)) out[i] = written[n - 1 - i];
#else
  for (VT_EACH(i, n)) out[i] = word_at(seed, n - 1 - i);
#endif
}

}  // namespace vt::kernels
