#pragma once
#include <algorithm>

#include "providers/cloud.hpp"

namespace vt {

/// Sleeps between two looks at a host that is to become ready, in short pieces; false as soon as the user wants to end.
inline bool nap(const CloudAccess& cloud, const Clock& clock, Duration real, Deadline deadline) {
  constexpr Duration kPiece{100};
  for (Duration left = std::min(cloud.paced(real), deadline.left()); left.count() > 0; left -= kPiece) {
    if (cloud.interrupted()) return false;
    clock.sleep(std::min(left, kPiece));
  }
  return !cloud.interrupted();
}

}  // namespace vt
