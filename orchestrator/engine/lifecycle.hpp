#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/engine/context.hpp"
#include "orchestrator/model/caps.hpp"

namespace vt {

/// What a layer wants hosts for, and within which limits.
struct HostsWanted {
  std::string run;
  Caps caps;                              ///< of plan, layer and user, the stricter of each
  std::optional<Duration> time;           ///< the layer's; the lease covers it and the teardown
  std::optional<Duration> patience;       ///< from create to the first login, per attempt; default: by the provider's quote
  std::function<void(std::string)> tell;  ///< why an attempt gave no host and what is done next; may be empty
  std::optional<Deadline> until = {};     ///< of the run; nothing is waited for any longer
};

/// The names of a layer's hosts, known before there are any: a run resumed on other hosts continues the same rows.
std::vector<std::string> host_names(const Layer&);

/// Gets the hosts of a layer. Existing hosts are simply named; others go intent -> create -> created -> ready through the
/// ledger, one row each, so that a crash at any point leaves a visible row. The plan's candidates are tried in order; what
/// follows a refusal is the table of next_step.hpp; where a quota was met, machines of ours that fill it are waited for (QuotaWait). An
/// unclear create reply ends the layer (strict: never a second one beside it). A host that came but is of no use is given back before the
/// next attempt. Errc::budget: a cap.
Result<Allocation> acquire(Context&, Provider&, const Layer&, const HostsWanted&);
/// The hosts of a resource that is ready already (a kept host, or one left by an interrupted run).
Result<Allocation> adopt(Context&, const Resource&);

/// Gives a resource back: deleting -> destroy -> confirmed gone by two complete listings. An error leaves the row open.
Status release(Context&, Provider&, const std::string& resource);

/// How a host is reached, as a row of the ledger keeps it.
std::string access_text(const std::vector<Host>&);
Result<std::vector<Host>> hosts_of(const Resource&);

}  // namespace vt
