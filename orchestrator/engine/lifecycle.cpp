#include "orchestrator/engine/lifecycle.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "orchestrator/cost/billing.hpp"
#include "orchestrator/engine/look.hpp"
#include "orchestrator/store/codec.hpp"

namespace vt {

namespace {

using nlohmann::json;

/// A deletion takes a provider up to minutes; the listing is asked this often, the provider's spacing apart, before the row is left
/// to reap. A call to delete that did not get through is repeated as often.
constexpr int kRounds = 12;
/// A clock that jumps must not make a young row an old one: so often it must have been looked for, by as many commands.
constexpr int kLooksToGiveUp = 3;

/// creating or ambiguous, and the orchestrator is gone: adopt it if it is there, give it up if it can no longer appear.
Status settle_unclear(Context& c, Provider& provider, const Resource& r) {
  if (r.state == ResourceState::planned)  // nothing was sent yet
    return c.ledger.update(r.owner.name, "never asked for", [](Resource& row) { row.state = ResourceState::refused, row.reserved = {}; });
  bool complete = false;
  VT_TRY(std::optional<Resource> seen, look(provider, r, complete));
  if (seen)
    return c.ledger.update(r.owner.name, "found",
                           [&](Resource& row) { row.state = ResourceState::created, row.provider_id = seen->provider_id; });
  if (r.state != ResourceState::ambiguous)
    VT_CHECK(c.ledger.update(r.owner.name, "no reply is known", [](Resource& row) { row.state = ResourceState::ambiguous; }));
  VT_TRY(bool absent, confirmed_absent(c.clock, c.stop, provider, r));
  VT_CHECK(c.ledger.update(r.owner.name, absent ? "not there" : "listing incomplete",
                           [&](Resource& row) { row.looks_absent = absent ? row.looks_absent + 1 : 0; }));
  bool late = c.clock.wall() - r.created >= provider.late_appearance().count();
  bool often = r.looks_absent + 1 >= kLooksToGiveUp || provider.late_appearance() == Duration{0};
  if (!absent || !late || !often) return fail(Errc::timeout, r.owner.name + ": not there, but it may still appear; look again later");
  return c.ledger.update(r.owner.name, "never appeared", [&](Resource& row) {
    row.state = ResourceState::presumed_absent, row.closed = c.clock.wall(), row.reserved = {};
  });
}

/// Deletion is asked for until the provider takes the call: a lost or refused one costs money by the hour.
Status ask_to_destroy(Context& c, Provider& provider, const Resource& row) {
  Status asked = provider.destroy(row);
  for (int round = 1; !asked && asked.error().retryable() && round < kRounds; ++round) {
    if (!rest(c.clock, c.stop, provider.confirm_spacing())) break;
    asked = provider.destroy(row);
  }
  return asked;
}

/// Listings that still show it are asked again: accepted is not gone. An error of the listing proves nothing either.
Status wait_until_gone(Context& c, Provider& provider, const Resource& row) {
  std::string why = "it is still listed";
  for (int round = 0; round < kRounds; ++round) {
    if (!rest(c.clock, c.stop, round == 0 ? Duration{0} : provider.confirm_spacing())) break;
    auto absent = confirmed_absent(c.clock, c.stop, provider, row);
    if (absent && *absent) return {};
    why = absent ? "it is still listed, or the listing is incomplete" : absent.error().what;
  }
  return fail(Errc::timeout, row.owner.name + ": deletion was accepted, but not confirmed (" + why + "); `vault-test reap` goes on");
}

/// A thing whose lease was over long ago and that is not there any more ended with its lease, not when somebody looked.
EpochMs ended_by_itself(Context& c, Provider& provider, const Resource& row) {
  constexpr EpochMs kStillRunning = std::numeric_limits<EpochMs>::max();
  EpochMs end = row.lease_until + kLeaseSlackSeconds * 1000;
  if (c.clock.wall() <= end) return kStillRunning;
  bool complete = false;
  auto seen = look(provider, row, complete);
  return seen && !*seen && complete ? end : kStillRunning;
}

}  // namespace

std::string access_text(const std::vector<Host>& hosts) {
  json out = json::array();
  for (auto& h : hosts) out.push_back({{"name", h.name}, {"rank", h.rank}, {"access", to_json(h.access)}});
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<std::vector<Host>> hosts_of(const Resource& r) try {
  std::vector<Host> hosts;
  for (auto& h : json::parse(r.access)) hosts.push_back({h.at("name"), h.at("rank"), host_spec_from(h.at("access")), r.owner.name});
  return hosts;
} catch (const json::exception& e) { return fail(Errc::storage, "ledger: how to reach " + r.owner.name + " is unreadable: " + e.what()); }

Result<Allocation> adopt(Context& c, const Resource& r) {
  if (r.state != ResourceState::ready) return fail(Errc::not_found, r.owner.name + " is " + std::string(name(r.state)) + ", not ready");
  VT_CHECK(c.ledger.take_over(r.owner.name));
  VT_TRY(auto hosts, hosts_of(r));
  return Allocation{std::move(hosts), r.owner.name};
}

Status release(Context& c, Provider& provider, const std::string& resource) {
  VT_TRY(std::optional<Resource> row, c.ledger.find(resource));
  if (!row) return fail(Errc::not_found, "ledger has no " + resource);
  if (row->state == ResourceState::planned || row->state == ResourceState::creating || row->state == ResourceState::ambiguous) {
    VT_CHECK(settle_unclear(c, provider, *row));
    VT_TRY(row, c.ledger.find(resource));
  }
  if (!is_open(row->state)) return {};
  EpochMs ended_at_the_latest = ended_by_itself(c, provider, *row);
  VT_CHECK(c.ledger.update(resource, "release", [](Resource& r) { r.state = ResourceState::deleting; }));
  VT_CHECK(ask_to_destroy(c, provider, *row));
  VT_CHECK(wait_until_gone(c, provider, *row));
  return c.ledger.update(resource, "confirmed gone", [&](Resource& r) {
    r.state = ResourceState::gone, r.closed = std::min(c.clock.wall(), ended_at_the_latest), r.reserved = {};
    r.cost = cost_until(r, r.closed);
  });
}

}  // namespace vt
