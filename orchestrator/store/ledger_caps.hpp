#pragma once
#include <optional>

#include "orchestrator/model/caps.hpp"
#include "orchestrator/model/resource.hpp"
#include "orchestrator/store/database.hpp"

/// Spending caps, judged by what the ledger holds. Internal to the store; every function runs in the caller's transaction.
namespace vt {

/// What counts against each cap now: of open rows the reservation, or what they have cost already if that is more; of closed
/// rows their cost. rate: the hourly prices of open rows.
struct Used {
  Money run, layer, day, month, rate;
};
/// `run` and `layer` say whose; `day` and `month` are those of `now`, in UTC.
Result<Used> used_by(Database&, const std::string& run, const std::string& layer, EpochMs now);

/// Errc::budget, naming the cap, what is used and what was asked for, if `wanted` does not fit; Errc::refused for a price that
/// is none.
Status check_caps(const Caps&, const Used&, const Resource& wanted);
/// The most that could be reserved; nullopt: as much as one likes. rate has no say in it.
std::optional<Money> room_under(const Caps&, const Used&);

}  // namespace vt
