#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "orchestrator/model/allocation.hpp"
#include "orchestrator/model/capability.hpp"
#include "orchestrator/model/money.hpp"
#include "orchestrator/model/plan.hpp"
#include "orchestrator/model/resource.hpp"
#include "orchestrator/model/result.hpp"
#include "providers/cloud.hpp"

namespace vt {

/// Something learned before creating, or why nothing was created: what is wrong and what to do about it.
struct Finding {
  /// What each kind leads to is one table: engine/next_step.hpp.
  enum class Kind {
    auth,          ///< credentials are missing, wrong or may not do this
    quota,         ///< the account's limit; another zone does not help
    region_quota,  ///< the limit of one region or market; another one may help
    stock_out,     ///< no capacity there now
    policy,        ///< the request is not acceptable as it is
    not_found,     ///< the zone does not offer it
    price,         ///< no price, or one that cannot be right
    funds,         ///< prepaid balance or spend limit used up
    network,       ///< nothing was sent: no connection
    rate,          ///< turned away unread; retry_after says when to come back
    unready,       ///< it came, but cannot be used: stuck, wrong driver, no GPU, no port
    lost,          ///< it is gone: preempted, deleted, vanished
    missing_tool,
    unsupported
  } kind = Kind::policy;
  enum class Weight { stops, warns } weight = Weight::stops;
  std::string what, remedy;
  bool passes = false;  ///< of a quota: the limit is enough, but machines that are there now count against it
};

/// Price and time of one host of this layer.
struct Quote {
  Money hourly;                          ///< zero: free
  bool known = true;                     ///< false: no price known, so nothing may be created
  std::string market;                    ///< "on-demand", "secure", …; empty if it does not apply
  Duration start_low{0}, start_high{0};  ///< usual time from create to ready
};

/// One way to get a host of a layer: what, where, on which market and at what price.
struct Candidate {
  std::string text;     ///< "g4-standard-48, spot, us-central1-b"
  std::string machine;  ///< machine type, or id of the GPU
  std::string market;   ///< "spot", "on-demand", "SECURE", "COMMUNITY"
  std::string zone;     ///< zone or data centre; empty: any
  Money hourly;         ///< all of it: machine, disk, address
  bool price_known = true;
  std::string price_source;  ///< "price book gcp of 2026-07-30"
  bool in_stock = true;      ///< as far as the provider tells
};

/// The answers create() can give. An unclear reply is an answer of its own and is never repeated blindly.
struct Created {
  std::string provider_id;
};
struct Refused {
  Finding::Kind kind = Finding::Kind::policy;
  std::string what;
  Duration retry_after{0};  ///< for rate
};
struct Ambiguous {
  std::string what;
};
using CreateOutcome = std::variant<Created, Refused, Ambiguous>;

struct Listing {
  std::vector<Resource> resources;  ///< owner, provider_id, zone, kind filled in
  bool complete = false;            ///< only a complete listing proves absence
};

/// What the provider is given to work in: no globals.
struct ProviderContext {
  std::string state_dir;  ///< for keys, and for providers whose things live on this machine
  const Clock* clock = nullptr;
  CloudAccess cloud;
  std::string prices;                 ///< folder of the price books
  std::vector<std::string> accounts;  ///< every account of this provider that the ledger has seen: what a sweep must cover
};

/// Gets hosts and gives them back. Few verbs; no verb retries by itself. Knows nothing of checks.
class Provider {
 public:
  virtual ~Provider() = default;
  /// What its hosts can do, for `vault-test plan`; spends nothing, asks nobody, needs no credentials.
  [[nodiscard]] virtual Capabilities predict(const Layer&) const = 0;
  /// Price and start time; spends nothing, asks nobody.
  [[nodiscard]] virtual Quote quote(const Layer&) const = 0;
  /// Names of environment variables it needs to run (for "missing to run").
  [[nodiscard]] virtual std::vector<std::string> needs_environment() const { return {}; }
  /// Whether the layer can run now: credentials, tools, quota. Changes nothing.
  virtual std::vector<Finding> preflight(const Layer&) = 0;
  /// The ways to get a host, in the order the plan wants them tried, with prices. May ask the provider's catalogue; spends
  /// nothing. By default the one way that quote() prices.
  virtual Result<std::vector<Candidate>> candidates(const Layer& layer) {
    Quote q = quote(layer);
    return std::vector<Candidate>{{layer.provider, "", q.market, "", q.hourly, q.known, "", true}};
  }
  /// Puts first what the provider's last refusal recommended.
  virtual void reorder(std::vector<Candidate>&) const {}
  /// Where the layer's things are made and billed (a project); goes into Resource::account. Empty: the provider knows no such thing.
  [[nodiscard]] virtual std::string account(const Layer&) const { return {}; }
  /// True if hosts exist already (local, bare-metal): nothing is created, nothing enters the ledger.
  [[nodiscard]] virtual bool existing_hosts() const = 0;
  /// One attempt, one request. The ledger has the intent already, with the candidate's zone, machine and market. Not called
  /// for existing hosts.
  virtual CreateOutcome create(const Layer&, const Resource&) = 0;
  /// Waits until the hosts can be logged in to. For existing hosts the resource is empty. The error tells what next: Errc::capacity
  /// stock-out, Errc::quota the account's limit, Errc::region_quota that of a region or market, Errc::lost gone by itself, Errc::timeout,
  /// transport and not_found stuck or unusable.
  virtual Result<Allocation> wait_ready(const Layer&, const Resource&, Deadline) = 0;
  /// What became of a host that no longer answers: empty if it is there as far as the provider says, else why it is gone
  /// ("preempted by Compute Engine at 12:03:11Z"). That is the infrastructure's doing and no verdict on what was tested.
  virtual Result<std::string> fate(const Resource&) { return std::string(); }
  /// Asks for deletion. Accepted is not gone: gone is what list_owned says, twice, completely. Already gone is accepted.
  virtual Status destroy(const Resource&) = 0;
  /// How far apart the two looks must be that confirm a deletion; a cloud's listing can lag.
  [[nodiscard]] virtual Duration confirm_spacing() const { return Duration{10'000}; }
  /// How long after a lost create reply the thing may still appear; only then can an absent one be given up.
  [[nodiscard]] virtual Duration late_appearance() const { return std::chrono::hours(24); }
  /// Everything that carries the mark of this installation: hosts and what belongs to them (disks), in every state and zone.
  /// Empty install: of any installation, for a sweeper that has only keys.
  virtual Result<Listing> list_owned(const std::string& install) = 0;
  /// What is listed where that thing is: enough to see whether it is there.
  virtual Result<Listing> list_near(const Resource& r) { return list_owned(r.owner.install); }
  /// What the provider itself has billed for this resource so far, where its API tells; nullopt where it does not.
  virtual Result<std::optional<Money>> billed(const Resource&) { return std::optional<Money>(); }
};

}  // namespace vt
