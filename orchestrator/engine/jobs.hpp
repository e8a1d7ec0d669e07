#pragma once
#include <map>
#include <string>

#include "orchestrator/model/check.hpp"
#include "orchestrator/model/observation.hpp"
#include "remote-agent/protocol/frames.hpp"

namespace vt {

/// The check as the agent is asked to run it. The id is the same after a restart of the orchestrator, so that a detached
/// job is found again. Only the secrets the check names go along. Not for probe checks: those run nothing.
protocol::Job make_job(const Check&, const ObservationKey&, const std::map<std::string, std::string>& secrets);

/// Checks that may run this long survive a cut connection even if they do not say so.
constexpr Duration kDetachFrom{30'000};

/// The name under which the hosts of a layer do a check together.
std::string group_of(const ObservationKey&);

}  // namespace vt
