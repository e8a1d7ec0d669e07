#pragma once
#include <map>
#include <optional>
#include <string>

#include "orchestrator/engine/context.hpp"
#include "orchestrator/planner/run_plan.hpp"

namespace vt {

/// What a check must pass before it may run.
struct Circumstances {
  const Layer& layer;
  const HostSpec& access;
  const Capabilities& facts;
  const std::map<std::string, Verdict>& so_far;  ///< verdicts on this host by check id
  bool stopped = false, out_of_time = false;
  const Capabilities* real = nullptr;  ///< rehearsal: what the real host is predicted to be able to do
  bool self_test_missed = false;       ///< a checker overlooked a fault that was put in: what it measures counts for nothing
};

/// The verdict of a check that cannot run here, with its cause; nullopt if it can. In this order: the operator's wish, a stop, a
/// failed dependency, a self-test that missed (agent checks), a capability that is absent (skip) or unknown (error), neighbours of a
/// disruptive check.
std::optional<Judgement> obstacle(const Check&, const ObservationKey&, const Circumstances&);

}  // namespace vt
