#include "orchestrator/engine/reap.hpp"

#include <algorithm>

#include "orchestrator/engine/lifecycle.hpp"
#include "orchestrator/engine/look.hpp"

namespace vt {

namespace {

std::string describe(const Resource& r) {
  return r.provider + " " + r.kind + " " + r.owner.name + " (run " + r.run + ", layer " + r.layer + ")";
}

class Reaper {
 public:
  Reaper(Context& c, bool dry_run) : c_(c), dry_run_(dry_run) {}

  Result<ReapReport> run() {
    VT_TRY(auto rows, c_.ledger.open_resources());
    for (auto& row : rows) finish(row);
    VT_TRY(auto all, c_.ledger.all());
    for (auto& name : c_.creating_providers) sweep(name, all);
    return report_;
  }

 private:
  void say(std::string line, bool left) {
    report_.lines.push_back(std::move(line));
    report_.left += left ? 1 : 0;
  }

  void finish(const Resource& row) {
    EpochMs now = c_.clock.wall();
    if (Ledger::holder_alive(row) && row.lease_until > now) return say(describe(row) + ": in use by a running vault-test", true);
    if (row.keep && row.lease_until > now) return say(describe(row) + ": kept until " + utc_text(row.lease_until), true);
    if (dry_run_) return say(describe(row) + ": would be released", true);
    give_back(row, c_.ledger.take_over(row.owner.name));
  }

  void give_back(const Resource& row, Status done) {
    auto provider = c_.provider(row.provider);
    if (!provider) return say(describe(row) + ": provider unknown to this version", true);
    if (done) done = release(c_, *provider, row.owner.name);
    if (!done) return say(describe(row) + ": " + done.error().what, true);
    ++report_.released;
    say(describe(row) + ": released", false);
  }

  /// Things with our mark that no open row accounts for.
  void sweep(const std::string& name, const std::vector<Resource>& rows) {
    auto provider = c_.provider(name);
    auto install = c_.ledger.new_ownership(name, "", Duration{1});
    if (!provider || !install) return;
    auto listing = provider->list_owned(install->install);
    if (!listing) return say(name + ": cannot list: " + listing.error().what, true);
    for (auto& seen : listing->resources) {
      auto row = std::find_if(rows.begin(), rows.end(), [&](auto& r) { return r.owner.name == seen.owner.name; });
      if (row == rows.end()) rowless(*provider, seen);
      else if (!is_open(row->state)) reappeared(*row);
    }
  }

  void reappeared(const Resource& row) {
    if (dry_run_) return say(describe(row) + ": is there again, would be released", true);
    auto reopened = c_.ledger.take_over(row.owner.name);
    if (reopened)
      reopened = c_.ledger.update(row.owner.name, "seen again", [](Resource& r) { r.state = ResourceState::deleting, r.closed = 0; });
    give_back(row, reopened);
  }

  /// The ledger was lost: only a valid token and a lease that is over prove that it may go.
  void rowless(Provider& provider, const Resource& seen) {
    std::string what = seen.provider + " " + seen.owner.name;
    if (!c_.ledger.is_ours(seen.owner, seen.provider, seen.account))
      return say(what + ": looks like ours, but its token is not; left alone", true);
    if (seen.owner.expires > c_.clock.wall())
      return say(what + ": ours, not in the ledger, lease until " + utc_text(seen.owner.expires) + "; left alone", true);
    if (dry_run_) return say(what + ": ours and expired, would be deleted", true);
    if (auto gone = provider.destroy(seen); !gone) return say(what + ": " + gone.error().what, true);
    auto absent = confirmed_absent(c_, provider, seen);
    bool confirmed = absent && *absent;
    report_.released += confirmed ? 1 : 0;
    say(what + (confirmed ? ": ours and expired, deleted" : ": deletion asked for, not confirmed yet"), !confirmed);
  }

  Context& c_;
  bool dry_run_;
  ReapReport report_;
};

}  // namespace

Result<ReapReport> reap(Context& c, bool dry_run) { return Reaper(c, dry_run).run(); }

}  // namespace vt
