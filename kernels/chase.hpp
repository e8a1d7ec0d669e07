#pragma once
#include "kernels/language.hpp"

namespace vt::kernels {

/// Follows a chain of word numbers from word 0, each step waiting for the one before: the time of a step is the latency of the
/// memory the chain lies in. `end` gets where it came to. Volatile, so that no cache of the multiprocessor answers.
VT_KERNEL vt_chase(const u64* cells, u64 steps, u64* end) {
  for (VT_EACH(i, 1)) {
    const volatile u64* chain = cells;
    u64 at = 0;
    for (u64 s = 0; s < steps; ++s) at = chain[at];
    end[i] = at;
  }
}

}  // namespace vt::kernels
