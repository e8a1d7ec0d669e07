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

namespace vt {

/// Something learned before creating: what is wrong and what to do about it.
struct Finding {
  enum class Kind { auth, quota, stock_out, policy, not_found, price, network, missing_tool, unsupported } kind = Kind::policy;
  enum class Weight { stops, warns } weight = Weight::stops;
  std::string what, remedy;
};

/// Price and time of one host of this layer.
struct Quote {
  Money hourly;                          ///< zero: free
  bool known = true;                     ///< false: no price known, so nothing may be created
  std::string market;                    ///< "on-demand", "secure", …; empty if it does not apply
  Duration start_low{0}, start_high{0};  ///< usual time from create to ready
};

/// The answers create() can give. An unclear reply is an answer of its own and is never repeated blindly.
struct Created {
  std::string provider_id;
};
struct Refused {
  Finding::Kind kind = Finding::Kind::policy;
  std::string what;
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
  std::string state_dir;  ///< for providers whose things live on this machine
  const Clock* clock = nullptr;
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
  /// True if hosts exist already (local, bare-metal): nothing is created, nothing enters the ledger.
  [[nodiscard]] virtual bool existing_hosts() const = 0;
  /// One attempt. The ledger has the intent already. Not called for existing hosts.
  virtual CreateOutcome create(const Layer&, const Resource&) = 0;
  /// Waits until the hosts can be connected to. For existing hosts the resource is empty.
  virtual Result<Allocation> wait_ready(const Layer&, const Resource&, Deadline) = 0;
  /// Asks for deletion. Accepted is not gone: gone is what list_owned says, twice, completely. Already gone is accepted.
  virtual Status destroy(const Resource&) = 0;
  /// How far apart the two looks must be that confirm a deletion; a cloud's listing can lag.
  [[nodiscard]] virtual Duration confirm_spacing() const { return Duration{10'000}; }
  /// How long after a lost create reply the thing may still appear; only then can an absent one be given up.
  [[nodiscard]] virtual Duration late_appearance() const { return std::chrono::hours(24); }
  /// Everything that carries the mark of this installation.
  virtual Result<Listing> list_owned(const std::string& install) = 0;
};

}  // namespace vt
