#pragma once
#include <string>
#include <vector>

#include "orchestrator/engine/context.hpp"

namespace vt {

struct ReapOrder {
  bool dry_run = false;
  int most = 20;  ///< deletions; what is over stays for the next time. A mistake must not empty an account
};

struct ReapReport {
  std::vector<std::string> lines;  ///< one per thing looked at: what was done and why
  int released = 0, left = 0;      ///< left: open rows and foreign things that remain
};

/// Finishes what dead orchestrators left: open rows without a living holder and with nothing keeping them, things that
/// carry our mark though their row is closed or lost. Touches nothing it cannot prove to be ours and expired: a thing without
/// a row needs a valid token and a lease that ended kGrace ago. One error never stops the sweep.
Result<ReapReport> reap(Context&, const ReapOrder&);

/// The same without a ledger, for a machine that only has the key: tokens and leases decide alone.
ReapReport reap_stateless(const InstallKey&, const std::vector<Provider*>&, const Clock&, const StopFlag&, const ReapOrder&);

/// How long after its lease a thing without a row is still left alone: clocks differ, and its owner may be tearing it down.
inline constexpr Duration kGrace = std::chrono::minutes(10);

}  // namespace vt
