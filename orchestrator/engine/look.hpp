#pragma once
#include <optional>

#include "orchestrator/engine/context.hpp"

namespace vt {

/// The thing as its provider lists it, if it does. `complete` tells whether its absence would prove anything.
Result<std::optional<Resource>> look(Provider&, const Resource&, bool& complete);

/// Sleeps; false, and at once, after a second interrupt.
bool rest(const Clock&, const StopFlag&, Duration);

/// Absent from two complete listings, the provider's spacing apart. After a second interrupt nobody waits: false.
Result<bool> confirmed_absent(const Clock&, const StopFlag&, Provider&, const Resource&);

}  // namespace vt
