#include "orchestrator/engine/reap.hpp"

#include <algorithm>

#include "orchestrator/engine/lifecycle.hpp"
#include "orchestrator/engine/look.hpp"

namespace vt {

namespace {

std::string describe(const Resource& r) {
  return r.provider + " " + r.kind + " " + r.owner.name + (r.run.empty() ? "" : " (run " + r.run + ", layer " + r.layer + ")");
}

/// What was done so far, and how much more may be.
class Tally {
 public:
  explicit Tally(const ReapOrder& order) : order_(order) {}
  void say(std::string line, bool left) {
    report.lines.push_back(std::move(line));
    report.left += left ? 1 : 0;
  }
  /// Whether `what` may be given back now; says why not.
  bool may(const std::string& what, const std::string& would) {
    if (order_.dry_run) return say(what + ": " + would, true), false;
    if (++deletions_ > order_.most)
      return say(what + ": left for the next time, " + std::to_string(order_.most) + " were deleted; --yes deletes all", true), false;
    return true;
  }
  void released(const std::string& line) {
    ++report.released;
    say(line, false);
  }

  ReapReport report;

 private:
  const ReapOrder& order_;
  int deletions_ = 0;
};

/// A thing that no row accounts for: only a valid token and a lease that is over prove that it may go.
void end_rowless(const InstallKey& key, Provider& provider, const Resource& seen, const Clock& clock, const StopFlag& stop, Tally& tally) {
  std::string what = describe(seen);
  if (!key.is_ours(seen.owner, seen.provider, seen.account))
    return tally.say(what + ": looks like ours, but its token is not; left alone", true);
  if (seen.owner.expires + kGrace.count() > clock.wall())
    return tally.say(what + ": ours, not in the ledger, lease until " + utc_text(seen.owner.expires) + "; left alone until " +
                         short_text(kGrace) + " later",
                     true);
  if (!tally.may(what, "ours and expired, would be deleted")) return;
  if (auto gone = provider.destroy(seen); !gone) return tally.say(what + ": " + gone.error().what, true);
  auto absent = confirmed_absent(clock, stop, provider, seen);
  if (absent && *absent) return tally.released(what + ": ours and expired, deleted");
  tally.say(what + ": deletion asked for, not confirmed yet", true);
}

class Reaper {
 public:
  Reaper(Context& c, const ReapOrder& order) : c_(c), key_(c.ledger.key()), tally_(order) {}

  Result<ReapReport> run() {
    VT_TRY(auto rows, c_.ledger.open_resources());
    for (auto& row : rows) finish(row);
    VT_TRY(auto all, c_.ledger.all());
    for (auto& name : c_.creating_providers) sweep(name, all);
    return tally_.report;
  }

 private:
  void finish(const Resource& row) {
    EpochMs now = c_.clock.wall();
    if (foreign(row)) return;
    if (Ledger::holder_alive(row) && row.lease_until > now) return tally_.say(describe(row) + ": in use by a running vault-test", true);
    if (row.keep && row.lease_until > now) return tally_.say(describe(row) + ": kept until " + utc_text(row.lease_until), true);
    if (tally_.may(describe(row), "would be released")) give_back(row, c_.ledger.take_over(row.owner.name));
  }

  void give_back(const Resource& row, Status done) {
    auto provider = c_.provider(row.provider);
    if (!provider) return tally_.say(describe(row) + ": provider unknown to this version", true);
    if (done) done = release(c_, *provider, row.owner.name);
    if (!done) return tally_.say(describe(row) + ": " + done.error().what, true);
    tally_.released(describe(row) + ": released");
  }

  /// Things with our mark that no open row accounts for. A provider that was never used here may have no credentials: no matter.
  void sweep(const std::string& name, const std::vector<Resource>& rows) {
    bool used = std::any_of(rows.begin(), rows.end(), [&](auto& r) { return r.provider == name; });
    auto provider = c_.provider(name);
    if (!provider) return;
    auto listing = provider->list_owned(key_.install);
    if (!listing && !used) return;
    if (!listing) return tally_.say(name + ": cannot list: " + listing.error().what, true);
    if (!listing->complete) tally_.say(name + ": the listing is incomplete; nothing is closed on it", true);
    for (auto& seen : listing->resources) {
      auto row = std::find_if(rows.begin(), rows.end(), [&](auto& r) { return r.owner.name == seen.owner.name; });
      if (row == rows.end()) end_rowless(key_, *provider, seen, c_.clock, c_.stop, tally_);
      else if (!is_open(row->state)) reappeared(*row);
    }
  }

  /// A copied ledger holds the rows of the installation it was copied from, whose hosts may be at work.
  bool foreign(const Resource& row) {
    if (row.owner.install == key_.install) return false;
    tally_.say(describe(row) + ": of another installation (this ledger was copied); left alone", true);
    return true;
  }

  void reappeared(const Resource& row) {
    if (foreign(row)) return;
    if (!tally_.may(describe(row), "is there again, would be released")) return;
    auto reopened = c_.ledger.take_over(row.owner.name);
    if (reopened)
      reopened = c_.ledger.update(row.owner.name, "seen again", [](Resource& r) { r.state = ResourceState::deleting, r.closed = 0; });
    give_back(row, reopened);
  }

  Context& c_;
  InstallKey key_;
  Tally tally_;
};

}  // namespace

Result<ReapReport> reap(Context& c, const ReapOrder& order) { return Reaper(c, order).run(); }

ReapReport reap_stateless(const InstallKey& key, const std::vector<Provider*>& providers, const Clock& clock, const StopFlag& stop,
                          const ReapOrder& order) {
  Tally tally(order);
  for (auto provider : providers) {
    auto listing = provider->list_owned(key.install);
    if (!listing) {
      tally.say("cannot list: " + listing.error().what, true);
      continue;
    }
    if (!listing->complete) tally.say("a listing is incomplete; what it does not show was not looked at", true);
    for (auto& seen : listing->resources) end_rowless(key, *provider, seen, clock, stop, tally);
  }
  return tally.report;
}

}  // namespace vt
