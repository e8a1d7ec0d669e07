#pragma once
#include <string>
#include <vector>

#include "orchestrator/engine/context.hpp"

namespace vt {

struct ReapReport {
  std::vector<std::string> lines;  ///< one per thing looked at: what was done and why
  int released = 0, left = 0;      ///< left: open rows and foreign things that remain
};
/// Finishes what dead orchestrators left: open rows without a living holder and with nothing keeping them, things that
/// carry our mark though their row is closed. Touches nothing it cannot prove to be ours.
Result<ReapReport> reap(Context&, bool dry_run);

}  // namespace vt
