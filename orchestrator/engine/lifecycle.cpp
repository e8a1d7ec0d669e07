#include "orchestrator/engine/lifecycle.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "orchestrator/cost/billing.hpp"
#include "orchestrator/engine/look.hpp"
#include "orchestrator/store/codec.hpp"

namespace vt {

namespace {

using nlohmann::json;

/// Without a time budget a host is kept alive this long at most.
constexpr Duration kDefaultLease = std::chrono::hours(6);
/// Room for teardown after the layer's own time is over.
constexpr Duration kLeaseSlack = std::chrono::minutes(15);

std::string access_text(const Allocation& allocation) {
  json hosts = json::array();
  for (auto& h : allocation.hosts) hosts.push_back({{"name", h.name}, {"rank", h.rank}, {"access", to_json(h.access)}});
  return hosts.dump();
}

Errc code_for(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::auth: return Errc::auth;
    case Finding::Kind::quota: return Errc::quota;
    case Finding::Kind::region_quota:
    case Finding::Kind::stock_out: return Errc::capacity;
    case Finding::Kind::not_found: return Errc::not_found;
    case Finding::Kind::network: return Errc::transport;
    default: return Errc::refused;
  }
}

Result<Resource> intend(Context& c, Provider& provider, const Layer& layer, const std::string& run, Money cap) {
  Quote quote = provider.quote(layer);
  if (!quote.known) return fail(Errc::refused, "no price is known for this layer, so nothing is created");
  Duration lease = layer.budget.time.value_or(kDefaultLease) + kLeaseSlack;
  Resource r;
  r.reserved = price_for(quote.hourly, lease.count() / 1000);
  if (cap.micro > 0 && r.reserved > cap) return fail(Errc::refused, "would cost up to " + r.reserved.text() + ", the cap is " + cap.text());
  VT_TRY(r.owner, c.ledger.new_ownership(layer.provider, "", lease));
  r.provider = layer.provider;
  r.kind = "host";
  r.run = run;
  r.layer = layer.name;
  r.hourly = quote.hourly;
  r.lease_until = r.owner.expires;
  r.created = c.clock.wall();
  VT_CHECK(c.ledger.plan(r));
  return r;
}

Status created(Context& c, const std::string& name, const std::string& provider_id) {
  return c.ledger.update(name, "created", [&](Resource& r) { r.state = ResourceState::created, r.provider_id = provider_id; });
}

/// An unclear create reply is resolved by looking, never by asking again.
Status resolve_ambiguous(Context& c, Provider& provider, const Resource& r, const std::string& what) {
  VT_CHECK(c.ledger.update(r.owner.name, what, [&](Resource& row) { row.state = ResourceState::ambiguous, row.reason = what; }));
  bool complete = false;
  VT_TRY(std::optional<Resource> seen, look(provider, r, complete));
  if (seen) return created(c, r.owner.name, seen->provider_id);
  return fail(Errc::transport, "the reply to create was lost (" + what + ") and it is not there yet; `vault-test reap` goes on looking");
}

Status create(Context& c, Provider& provider, const Layer& layer, const Resource& r) {
  VT_CHECK(c.ledger.update(r.owner.name, "create is called", [](Resource& row) { row.state = ResourceState::creating; }));
  CreateOutcome outcome = provider.create(layer, r);
  if (auto ok = std::get_if<Created>(&outcome)) return created(c, r.owner.name, ok->provider_id);
  if (auto unclear = std::get_if<Ambiguous>(&outcome)) return resolve_ambiguous(c, provider, r, unclear->what);
  auto& refused = std::get<Refused>(outcome);
  VT_CHECK(c.ledger.update(r.owner.name, refused.what, [&](Resource& row) {
    row.state = ResourceState::refused, row.reason = refused.what, row.closed = c.clock.wall(), row.reserved = {};
  }));
  return fail(code_for(refused.kind), refused.what);
}

void name_hosts(Allocation& allocation, const Layer& layer) {
  auto names = host_names(layer);
  for (std::size_t i = 0; i < allocation.hosts.size(); ++i)
    allocation.hosts[i].name = i < names.size() ? names[i] : layer.name + "-" + std::to_string(i);
}

/// creating or ambiguous, and the orchestrator is gone: adopt it if it is there, give it up if it can no longer appear.
Status settle_unclear(Context& c, Provider& provider, const Resource& r) {
  if (r.state == ResourceState::planned)
    VT_CHECK(c.ledger.update(r.owner.name, "looked for after a crash", [](Resource& row) { row.state = ResourceState::creating; }));
  bool complete = false;
  VT_TRY(std::optional<Resource> seen, look(provider, r, complete));
  if (seen) return created(c, r.owner.name, seen->provider_id);
  if (r.state != ResourceState::ambiguous)
    VT_CHECK(c.ledger.update(r.owner.name, "no reply is known", [](Resource& row) { row.state = ResourceState::ambiguous; }));
  VT_TRY(bool absent, confirmed_absent(c, provider, r));
  VT_CHECK(c.ledger.update(r.owner.name, absent ? "not there" : "listing incomplete",
                           [&](Resource& row) { row.looks_absent += absent ? 1 : 0; }));
  if (!absent || c.clock.wall() - r.created < provider.late_appearance().count())
    return fail(Errc::timeout, r.owner.name + ": not there, but it may still appear; look again later");
  return c.ledger.update(r.owner.name, "never appeared", [&](Resource& row) {
    row.state = ResourceState::presumed_absent, row.closed = c.clock.wall(), row.reserved = {};
  });
}

}  // namespace

std::vector<std::string> host_names(const Layer& layer) {
  std::vector<std::string> names;
  for (auto& host : layer.hosts)
    if (!host.address.empty()) names.push_back(host.address + (host.port == 22 ? "" : ":" + std::to_string(host.port)));
  if (names.empty()) names.push_back(layer.name);
  return names;
}

Result<Allocation> acquire(Context& c, Provider& provider, const Layer& layer, const std::string& run, Money cap, Deadline deadline) {
  if (provider.existing_hosts()) {
    VT_TRY(Allocation existing, provider.wait_ready(layer, {}, deadline));
    name_hosts(existing, layer);
    return existing;
  }
  VT_TRY(Resource r, intend(c, provider, layer, run, cap));
  VT_CHECK(create(c, provider, layer, r));
  VT_TRY(std::optional<Resource> row, c.ledger.find(r.owner.name));
  VT_TRY(Allocation allocation, provider.wait_ready(layer, row.value_or(r), deadline));
  allocation.resource = r.owner.name;
  name_hosts(allocation, layer);
  VT_CHECK(
      c.ledger.update(r.owner.name, "ready", [&](Resource& x) { x.state = ResourceState::ready, x.access = access_text(allocation); }));
  return allocation;
}

Result<Allocation> adopt(Context& c, const Resource& r) try {
  if (r.state != ResourceState::ready) return fail(Errc::not_found, r.owner.name + " is " + std::string(name(r.state)) + ", not ready");
  VT_CHECK(c.ledger.take_over(r.owner.name));
  Allocation allocation;
  allocation.resource = r.owner.name;
  for (auto& h : json::parse(r.access)) allocation.hosts.push_back({h.at("name"), h.at("rank"), host_spec_from(h.at("access"))});
  return allocation;
} catch (const json::exception& e) { return fail(Errc::storage, "ledger: how to reach " + r.owner.name + " is unreadable: " + e.what()); }

Status release(Context& c, Provider& provider, const std::string& resource) {
  VT_TRY(std::optional<Resource> row, c.ledger.find(resource));
  if (!row) return fail(Errc::not_found, "ledger has no " + resource);
  if (row->state == ResourceState::planned || row->state == ResourceState::creating || row->state == ResourceState::ambiguous) {
    VT_CHECK(settle_unclear(c, provider, *row));
    VT_TRY(row, c.ledger.find(resource));
  }
  if (!is_open(row->state)) return {};
  VT_CHECK(c.ledger.update(resource, "release", [](Resource& r) { r.state = ResourceState::deleting; }));
  VT_CHECK(provider.destroy(*row));
  VT_TRY(bool absent, confirmed_absent(c, provider, *row));
  if (!absent) return fail(Errc::timeout, resource + ": deletion was accepted, but it is still listed; `vault-test reap` goes on");
  return c.ledger.update(resource, "confirmed gone", [&](Resource& r) {
    r.state = ResourceState::gone, r.closed = c.clock.wall(), r.cost = cost_until(r, r.closed), r.reserved = {};
  });
}

}  // namespace vt
