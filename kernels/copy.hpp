#pragma once
#include "kernels/language.hpp"

namespace vt::kernels {

/// Two words: the most that one thread moves with one instruction on every GPU there is code for.
struct alignas(16) Wide {
  u64 x, y;
};
/// How many of them a thread has under way at once; with all threads resident, enough to fill the pipe to HBM3e (bandwidth times
/// latency, some 30 KB per multiprocessor).
constexpr u64 kUnderWay = 4;

/// Copies n times 16 bytes; the two areas do not overlap. Either may be another device's memory, or the host's.
VT_KERNEL vt_copy_wide(Wide* __restrict__ out, const Wide* __restrict__ in, u64 n) {
  u64 step = item_step();
  for (u64 i = first_item(); i < n; i += kUnderWay * step) {
    Wide held[kUnderWay];
    for (u64 j = 0; j < kUnderWay; ++j)
      if (i + j * step < n) held[j] = in[i + j * step];
    for (u64 j = 0; j < kUnderWay; ++j)
      if (i + j * step < n) out[i + j * step] = held[j];
  }
}

/// The same for what is less than 16 bytes, or not a multiple.
VT_KERNEL vt_copy_words(u64* __restrict__ out, const u64* __restrict__ in, u64 n) {
  for (VT_EACH(i, n)) out[i] = in[i];
}

/// Holds its stream up until the host writes gate[0], at most `limit_ns`; then gate[1] says that it gave up. So all of what is
/// timed is in the queue before the first of it begins. On the processor work is done when a call returns, and nothing can be held up.
VT_KERNEL vt_gate([[maybe_unused]] u64* gate, [[maybe_unused]] u64 limit_ns) {
#ifdef VT_GPU
  if (first_item() != 0) return;
  volatile u64* open = gate;
  u64 start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  while (open[0] == 0 && now - start < limit_ns);
  if (open[0] == 0) open[1] = 1;
#endif
}

}  // namespace vt::kernels
