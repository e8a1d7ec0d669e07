#include "orchestrator/engine/quota_wait.hpp"

#include <algorithm>

#include "providers/nap.hpp"

namespace vt {

namespace {

constexpr Duration kLook = std::chrono::seconds(1);
/// A deletion takes minutes, and so may what comes after the end of a lease. What is not gone by then needs a person.
constexpr Duration kDeletionTime = std::chrono::minutes(10);
constexpr int kLags = 3;

bool includes(const std::vector<Resource>& rows, const std::string& name) {
  return std::any_of(rows.begin(), rows.end(), [&](auto& row) { return row.owner.name == name; });
}

}  // namespace

Result<bool> QuotaWait::again() {
  VT_TRY(auto before, ours());
  if (before.empty()) return lag();
  say(before.front());
  waited_ = true, lags_ = 0;
  while (true) {
    if (!nap(c_.clock, kLook, [this] { return c_.stop.requested(); })) return fail(Errc::cancelled, "interrupted");
    VT_TRY(auto now, ours());
    if (std::any_of(before.begin(), before.end(), [&](auto& row) { return !includes(now, row.owner.name); })) return true;
    if (wanted_.until && wanted_.until->passed()) return false;
  }
}

/// The rows that are worth waiting for.
Result<std::vector<Resource>> QuotaWait::ours() {
  VT_TRY(auto rows, c_.ledger.open_resources());
  std::erase_if(rows, [&](auto& row) { return row.provider != wanted_.provider || row.account != wanted_.account || row.kind != "host"; });
  bool has_one = std::any_of(rows.begin(), rows.end(), [&](auto& row) { return row.run == wanted_.run && row.layer == wanted_.layer; });
  if (has_one) return std::vector<Resource>{};
  std::erase_if(rows, [&](auto& row) { return row.keep || !Ledger::holder_alive(row) || !patient_with(row); });
  return rows;
}

bool QuotaWait::patient_with(const Resource& row) {
  if (row.state == ResourceState::planned || row.state == ResourceState::ambiguous) return false;
  if (c_.clock.wall() > row.lease_until + kDeletionTime.count()) return false;
  if (row.state != ResourceState::deleting) return true;
  auto since = deleting_since_.try_emplace(row.owner.name, c_.clock.boot()).first->second;
  return c_.clock.boot() - since < kDeletionTime;
}

void QuotaWait::say(const Resource& row) const {
  if (wanted_.tell)
    wanted_.tell("the quota is full: waiting until " + row.owner.name + " (run " + row.run + ", layer " + row.layer +
                 ") is confirmed gone");
}

Result<bool> QuotaWait::lag() {
  if (!waited_ || ++lags_ > kLags) return false;
  if (!nap(c_.clock, wanted_.look_spacing, [this] { return c_.stop.requested(); })) return fail(Errc::cancelled, "interrupted");
  return true;
}

bool passes_by_waiting(const std::vector<Finding>& findings) {
  using Kind = Finding::Kind;
  bool one_passes = false;
  for (auto& f : findings) {
    if (f.weight != Finding::Weight::stops) continue;
    if (f.kind != Kind::region_quota && !(f.kind == Kind::quota && f.passes)) return false;
    one_passes = one_passes || f.passes;  // of several regions one is enough
  }
  return one_passes;
}

}  // namespace vt
