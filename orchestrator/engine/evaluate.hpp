#pragma once
#include <string>

#include "orchestrator/model/check.hpp"
#include "orchestrator/model/observation.hpp"
#include "orchestrator/model/plan.hpp"
#include "remote-agent/protocol/frames.hpp"

namespace vt {

/// What the agent sent back, as an observation: outputs, and the values the check's readers found in them.
Observation observe(const Check&, const ObservationKey&, const protocol::JobResult&);
/// The observation of a check that reads a capability fact. An unknown fact is a problem, not a value.
Observation observe_fact(const Check&, const ObservationKey&, const Capabilities&);

/// The verdict on an observation: pure, so that stored observations can be judged again. `replaced` are the plan's
/// expectations ("os.kernel", "os.kernel/release"). Only recorded, or `any`: info. No value: error.
Judgement evaluate(const Check&, const Expectations& replaced, const Observation&);

/// The same judgement in a rehearsal: what a stand-in host misses says nothing about the real one, so it is a skip.
Judgement rehearsed(Judgement);

/// A verdict without an observation.
Judgement verdict_only(const ObservationKey&, Verdict, Cause, std::string reason);

}  // namespace vt
