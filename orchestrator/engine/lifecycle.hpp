#pragma once
#include <string>
#include <vector>

#include "orchestrator/engine/context.hpp"

namespace vt {

/// The names of a layer's hosts, known before there are any: a run resumed on other hosts continues the same rows.
std::vector<std::string> host_names(const Layer&);

/// Gets the hosts of a layer. Existing hosts are simply named; others go intent -> create -> created -> ready through the
/// ledger, so that a crash at any point leaves a visible row. Errc::capacity, auth, refused, timeout, … as typed by the provider.
Result<Allocation> acquire(Context&, Provider&, const Layer&, const std::string& run, Money cap, Deadline);
/// The hosts of a resource that is ready already (a kept host, or one left by an interrupted run).
Result<Allocation> adopt(Context&, const Resource&);

/// Gives a resource back: deleting -> destroy -> confirmed gone by two complete listings. An error leaves the row open.
Status release(Context&, Provider&, const std::string& resource);

}  // namespace vt
