#pragma once
#include "orchestrator/model/resource.hpp"

namespace vt {

/// What a resource has cost until `now`, by its provider's rule: per second, with the provider's minimum, from creation to the
/// confirmed end. Zero before it was created, and for what was refused or never appeared.
Money cost_until(const Resource&, EpochMs now);
/// What must be reserved for it: the whole lease and the slack after it in which a provider or watchdog ends it.
Money reservation(Money hourly, Duration lease);
/// The longest lease whose reservation fits into `room`; zero if not even a minute does.
Duration affordable(Money hourly, Money room);

}  // namespace vt
