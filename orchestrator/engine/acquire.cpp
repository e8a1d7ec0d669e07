#include <algorithm>
#include <deque>
#include <thread>

#include "orchestrator/cost/billing.hpp"
#include "orchestrator/engine/lifecycle.hpp"
#include "orchestrator/engine/look.hpp"
#include "orchestrator/engine/next_step.hpp"
#include "orchestrator/engine/quota_wait.hpp"
#include "orchestrator/model/uuid.hpp"
#include "providers/nap.hpp"
#include "providers/options.hpp"

namespace vt {

namespace {

/// Without a time budget a host is kept alive this long at most.
constexpr Duration kDefaultLease = std::chrono::hours(6);
/// Room for teardown after the layer's own time is over.
constexpr Duration kLeaseSlack = std::chrono::minutes(15);
/// A cap that does not even pay for this much is told at once instead of after a boot.
constexpr Duration kLeastLease = std::chrono::minutes(10);
constexpr Duration kLeastPatience = std::chrono::minutes(2);
/// How often a candidate that turns calls away for a while is asked again.
constexpr int kRetries = 5;

RoomWanted room_wanted(const Provider& provider, const Layer& layer, const HostsWanted& wanted) {
  return {wanted.run, layer.name, layer.provider, provider.account(layer), provider.confirm_spacing(), wanted.until, wanted.tell};
}

/// One host of a layer: tries the candidates until one gives it.
class Slot {
 public:
  /// `share`: what the caps leave for this host; nullopt: they set no limit.
  Slot(Context& c, Provider& provider, const Layer& layer, const HostsWanted& wanted, std::optional<Money> share)
      : c_(c), provider_(provider), layer_(layer), wanted_(wanted), share_(share), quota_(c, room_wanted(provider, layer, wanted)) {}

  /// All of the plan's candidates, and all again after each machine of ours that filled a quota.
  Result<std::vector<Host>> get() {
    while (true) {
      auto hosts = get_from_candidates();
      if (hosts || hopeless_ || !quota_met_) return hosts;
      VT_TRY(bool again, quota_.again());
      if (!again) return hosts;
    }
  }

 private:
  Result<std::vector<Host>> get_from_candidates() {
    quota_met_ = false;
    VT_TRY(auto offered, provider_.candidates(layer_));
    std::vector<Candidate> left(offered.begin(), offered.end());
    Error last{Errc::capacity, "the plan allows no way to get a host"};
    for (std::size_t tried = 0; !left.empty(); ++tried) {
      if (c_.stop.requested()) return fail(Errc::cancelled, "interrupted");
      Candidate candidate = left.front();
      left.erase(left.begin());
      auto hosts = attempt(candidate);
      if (hosts) return hosts;
      last = hosts.error();
      quota_met_ = quota_met_ || kind_ == Finding::Kind::quota || kind_ == Finding::Kind::region_quota;
      auto& rule = rule_for(kind_);
      if (rule.step == NextStep::elsewhere && tried < offered.size()) left.push_back(candidate);
      provider_.reorder(left);
      bool over = hopeless_ || rule.step == NextStep::stop || left.empty();
      say(candidate, last, over ? "" : "; next: " + left.front().text);
      if (over) break;
    }
    return fail(last);
  }

  void say(const Candidate& candidate, const Error& why, const std::string& next) {
    auto kind = why.code == Errc::budget ? "budget" : std::string(rule_for(kind_).name);
    if (wanted_.tell) wanted_.tell(candidate.text + ": " + kind + ": " + why.what + next);
  }

  Error turned(Finding::Kind kind, std::string what) {
    kind_ = kind;
    return {code_for(kind), std::move(what)};
  }
  /// Nothing that comes after may be tried: a cap, our own disk, or a thing whose whereabouts are unclear.
  Error stuck(Error why) {
    hopeless_ = true;
    kind_ = kind_of(why.code);
    return why;
  }

  Result<std::vector<Host>> attempt(const Candidate& candidate) {
    if (!candidate.price_known) return fail(turned(Finding::Kind::price, "no price is known, so nothing is created"));
    auto r = intend(candidate);
    if (!r) return fail(stuck(r.error()));
    Status made = create(*r);
    if (!made) return fail(made.error());
    auto hosts = ready(r->owner.name);
    if (hosts) return hosts;
    kind_ = kind_of(hosts.error().code);
    Status returned = release(c_, provider_, r->owner.name);
    if (!returned) return fail(stuck(returned.error()));
    if (c_.stop.requested()) return fail(stuck({Errc::cancelled, "interrupted"}));
    return hosts;
  }

  /// As long as the layer needs, but not longer than its share of the caps pays for.
  Result<Duration> lease_at(Money hourly) {
    Duration wanted = wanted_.time.value_or(kDefaultLease) + kLeaseSlack;
    VT_TRY(auto room, c_.ledger.room(wanted_.caps, wanted_.run, layer_.name));
    if (!share_ || !room || hourly.micro == 0) return wanted;
    Money left = std::min(*share_, *room);  // what an attempt that came to nothing has cost is gone
    Duration paid = affordable(hourly, left);
    if (paid < kLeastLease)
      return fail(Errc::budget, "at " + hourly.text() + " an hour the " + left.text() +
                                    " that the caps leave for this host do not pay for " + short_text(kLeastLease));
    return std::min(wanted, paid);
  }

  Result<Resource> intend(const Candidate& candidate) {
    VT_TRY(Duration lease, lease_at(candidate.hourly));
    Resource r;
    r.account = provider_.account(layer_);
    VT_TRY(r.owner, c_.ledger.new_ownership(layer_.provider, r.account, lease));
    r.provider = layer_.provider, r.kind = "host", r.run = wanted_.run, r.layer = layer_.name;
    r.zone = candidate.zone, r.machine = candidate.machine, r.market = candidate.market;
    r.hourly = candidate.hourly, r.price_source = candidate.price_source;
    r.reserved = candidate.hourly.micro == 0 ? Money{} : reservation(candidate.hourly, lease);
    r.request_id = new_uuid();
    r.lease_until = r.owner.expires;
    r.created = c_.clock.wall();
    VT_CHECK(c_.ledger.plan(r, wanted_.caps));
    return r;
  }

  /// The last commit before money, the one request, and what its answer means.
  Status create(const Resource& r) {
    for (int attempt = 1;; ++attempt) {
      Status begun = c_.ledger.update(r.owner.name, "create is called", [](Resource& row) { row.state = ResourceState::creating; });
      if (!begun) return fail(stuck(begun.error()));
      CreateOutcome outcome = provider_.create(layer_, r);
      if (auto ok = std::get_if<Created>(&outcome)) return created(r, ok->provider_id);
      if (auto unclear = std::get_if<Ambiguous>(&outcome)) return resolve(r, unclear->what);
      auto& refused = std::get<Refused>(outcome);
      bool again = rule_for(refused.kind).step == NextStep::wait_and_retry && attempt < kRetries && !c_.stop.requested();
      if (!again) return refuse(r, refused);
      VT_CHECK(c_.ledger.update(r.owner.name, refused.what, [](Resource& row) { row.state = ResourceState::planned; }));
      if (!come_back_later(r, refused.retry_after)) return refuse(r, refused);
    }
  }

  /// False if the user wants to end, or too little of the lease is left by then: nothing paid begins late.
  bool come_back_later(const Resource& r, Duration wait) {
    if (c_.clock.wall() + wait.count() + kLeastLease.count() > r.lease_until) return false;
    return nap(c_.clock, wait, [this] { return c_.stop.requested(); });
  }

  Status created(const Resource& r, const std::string& provider_id) {
    Status noted = c_.ledger.update(r.owner.name, "created",
                                    [&](Resource& row) { row.state = ResourceState::created, row.provider_id = provider_id; });
    return noted ? noted : Status(fail(stuck(noted.error())));
  }

  Status refuse(const Resource& r, const Refused& refused) {
    Status noted = c_.ledger.update(r.owner.name, refused.what, [&](Resource& row) {
      row.state = ResourceState::refused, row.reason = refused.what, row.closed = c_.clock.wall(), row.reserved = {};
    });
    return noted ? Status(fail(turned(refused.kind, refused.what))) : Status(fail(stuck(noted.error())));
  }

  /// An unclear reply is resolved by looking, never by asking again.
  Status resolve(const Resource& r, const std::string& what) {
    Status noted = c_.ledger.update(r.owner.name, what, [&](Resource& row) { row.state = ResourceState::ambiguous, row.reason = what; });
    if (!noted) return fail(stuck(noted.error()));
    for (int looks = 0; looks < 3; ++looks) {
      if (!rest(c_.clock, c_.stop, looks == 0 ? Duration{0} : provider_.confirm_spacing())) break;
      bool complete = false;
      auto seen = look(provider_, r, complete);
      if (seen && *seen) return created(r, (*seen)->provider_id);
    }
    return fail(
        stuck({Errc::transport, "the reply to create was lost (" + what + ") and it is not there yet; `vault-test reap` goes on looking"}));
  }

  Result<std::vector<Host>> ready(const std::string& resource) {
    VT_TRY(std::optional<Resource> row, c_.ledger.find(resource));
    if (!row) return fail(Errc::storage, "ledger has no " + resource);
    auto patience = wanted_.patience.value_or(std::max(kLeastPatience, Duration{provider_.quote(layer_).start_high.count() * 3}));
    VT_TRY(Allocation allocation, provider_.wait_ready(layer_, *row, Deadline::after(patience)));
    for (auto& host : allocation.hosts) host.resource = resource;
    return std::move(allocation.hosts);
  }

  Context& c_;
  Provider& provider_;
  const Layer& layer_;
  const HostsWanted& wanted_;
  std::optional<Money> share_;
  QuotaWait quota_;
  bool hopeless_ = false, quota_met_ = false;
  Finding::Kind kind_ = Finding::Kind::policy;
};

Status note_ready(Context& c, const std::vector<Host>& hosts) {
  std::map<std::string, std::vector<Host>> by_resource;
  for (auto& host : hosts) by_resource[host.resource].push_back(host);
  for (auto& entry : by_resource) {
    auto access = access_text(entry.second);
    VT_CHECK(c.ledger.update(entry.first, "ready", [&](Resource& x) { x.state = ResourceState::ready, x.access = access; }));
  }
  return {};
}

void name_hosts(std::vector<Host>& hosts, const Layer& layer) {
  auto names = host_names(layer);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    hosts[i].name = i < names.size() ? names[i] : layer.name + "-" + std::to_string(i);
    hosts[i].rank = static_cast<int>(i);
  }
}

/// All slots side by side, each with a provider of its own. What the others got stays in the ledger for the layer to give back.
Result<std::vector<Host>> fill_slots(Context& c, Provider& provider, const Layer& layer, const HostsWanted& wanted, int slots) {
  VT_TRY(auto share, c.ledger.room(wanted.caps, wanted.run, layer.name));
  if (share) share->micro /= slots;
  std::vector<Result<std::vector<Host>>> got(static_cast<std::size_t>(slots), std::vector<Host>{});
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < got.size(); ++i)
      threads.emplace_back([&, i] {
        auto own = c.provider(layer.provider);
        got[i] = own ? Slot(c, *own, layer, wanted, share).get() : fail(Errc::config, "no provider " + layer.provider);
      });
    got[0] = Slot(c, provider, layer, wanted, share).get();
  }
  std::vector<Host> hosts;
  for (auto& g : got) {
    VT_TRY(auto some, std::move(g));
    for (auto& host : some) hosts.push_back(std::move(host));
  }
  return hosts;
}

}  // namespace

std::vector<std::string> host_names(const Layer& layer) {
  std::vector<std::string> names;
  for (auto& host : layer.hosts)
    if (!host.address.empty()) names.push_back(host.address + (host.port == 22 ? "" : ":" + std::to_string(host.port)));
  int count = count_option(layer, "count").value_or(1);
  for (int i = 0; names.empty() || (layer.hosts.empty() && i < count); ++i)
    names.push_back(count == 1 ? layer.name : layer.name + "-" + std::to_string(i + 1));
  return names;
}

Result<Allocation> acquire(Context& c, Provider& provider, const Layer& layer, const HostsWanted& wanted) {
  if (provider.existing_hosts()) {
    VT_TRY(Allocation existing, provider.wait_ready(layer, {}, Deadline::after(wanted.patience.value_or(kLeastPatience))));
    name_hosts(existing.hosts, layer);
    return existing;
  }
  int slots = static_cast<int>(host_names(layer).size());
  VT_TRY(auto hosts, fill_slots(c, provider, layer, wanted, slots));
  name_hosts(hosts, layer);
  VT_CHECK(note_ready(c, hosts));
  auto first = hosts.empty() ? "" : hosts.front().resource;
  return Allocation{std::move(hosts), first};
}

}  // namespace vt
