#pragma once
#include <map>
#include <optional>
#include <string>

#include "orchestrator/engine/context.hpp"
#include "orchestrator/engine/keep.hpp"
#include "orchestrator/planner/run_plan.hpp"

namespace vt {

struct RunRequest {
  std::string run;  ///< id; the run, its layers and planned checks are in the store already
  const Plan& plan;
  const RunPlan& run_plan;
  Keep keep = Keep::never;     ///< keep created hosts for the user
  std::optional<Resource> on;  ///< a kept host for the only selected layer
  std::string subject_digest;  ///< for gates answered by earlier runs; empty: no subject, or a dirty one
};

/// Runs all layers, side by side where gates allow. When it returns every planned check has a verdict and every host was given
/// back or is an open row of the ledger. The error is one of the store's (disk full, …): the run is incomplete then.
Status run_all(Context&, const RunRequest&);

}  // namespace vt
