#pragma once
#include <algorithm>

#include "providers/cloud.hpp"

namespace vt {

/// Sleeps in short pieces; false as soon as `enough` says so.
template <class Enough>
bool nap(const Clock& clock, Duration time, const Enough& enough) {
  constexpr Duration kPiece{100};
  for (Duration left = time; left.count() > 0 && !enough(); left -= kPiece) clock.sleep(std::min(left, kPiece));
  return !enough();
}

/// Between two looks at a host that is to become ready; false as soon as the user wants to end.
inline bool nap(const CloudAccess& cloud, const Clock& clock, Duration real, Deadline deadline) {
  return nap(clock, std::min(cloud.paced(real), deadline.left()), [&cloud] { return cloud.interrupted(); });
}

}  // namespace vt
