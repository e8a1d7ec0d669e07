#pragma once
#include <string>
#include <string_view>

#include "orchestrator/baseline/baseline.hpp"
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
/// expectations ("os.kernel", "os.kernel/release"); they win over a baseline, too. Only recorded, or `any`: info. No value: error, unless
/// another one definitely misses, or it is only recorded beside others that are judged. A value that no baseline is known for: info, never
/// a pass; on the processor none is applied.
Judgement evaluate(const Check&, const Expectations& replaced, const Observation&, const Baselines& = {});

/// The same judgement in a rehearsal: what a stand-in host misses says nothing about the real one, so it is a skip.
Judgement rehearsed(Judgement);

/// The check in which every checker must find a fault that was put into its data.
constexpr std::string_view kSelfTest = "env.selftest";
/// A self-test that missed is no fault of the hardware: nothing its run measured counts. A checker that could not be tested ("not run:
/// …") is an error. Other judgements stay as they are, also one of a GPU that fell ill meanwhile (its value `health`).
Judgement self_tested(Judgement);

/// A verdict without an observation.
Judgement verdict_only(const ObservationKey&, Verdict, Cause, std::string reason);

}  // namespace vt
