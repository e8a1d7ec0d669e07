#pragma once
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/engine/context.hpp"
#include "orchestrator/engine/keep.hpp"
#include "orchestrator/planner/run_plan.hpp"

namespace vt {

struct LayerTask {
  std::string run;
  const Plan& plan;
  const LayerPlan& layer;
  std::vector<Judgement> earlier;       ///< of this layer, from before an interruption
  std::optional<Resource> on;           ///< a kept host to use; not given back afterwards
  Keep keep = Keep::never;              ///< leave the hosts for the user, until their lease ends
  std::optional<Deadline> time_budget;  ///< of the whole run
};

/// The pipeline of one layer: preflight -> acquire -> connect -> deploy -> probe -> execute -> collect -> release. Every step is
/// in the store before it starts. Hosts are given back on every path. Returns whether the layer may open gates: done, something
/// proven, nothing against it. The error is one of the store's: then the run cannot go on.
Result<bool> run_layer(Context&, const LayerTask&);

/// Gives every check of the layer the same verdict, e.g. blocked behind a gate. Checks that have one keep it.
Status settle_all(Context&, const LayerTask&, Verdict, Cause, const std::string& reason);

}  // namespace vt
