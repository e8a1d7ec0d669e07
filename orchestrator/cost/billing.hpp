#pragma once
#include "orchestrator/model/resource.hpp"

namespace vt {

/// What a provider may run on after the end of a lease: 30 s at Compute Engine, a tick of the watchdog and one call at RunPod.
inline constexpr std::int64_t kLeaseSlackSeconds = 90;

/// What a resource has cost until `now`, or until its confirmed end if it has one, by its provider's rule: every second begun, with
/// the provider's minimum, from the moment its creation was intended. Never less than is billed: what happened to a create call
/// whose reply was lost is taken to have run. Zero while it is only planned, and for what was refused or never appeared.
Money cost_until(const Resource&, EpochMs now);
/// What must be reserved for it: the whole lease and the slack after it in which a provider or watchdog ends it.
Money reservation(Money hourly, Duration lease);
/// The longest lease whose reservation fits into `room`, at most a year; zero if not even a minute does.
Duration affordable(Money hourly, Money room);

}  // namespace vt
