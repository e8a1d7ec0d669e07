#pragma once
#include <string>

#include "orchestrator/cli/command_line.hpp"
#include "orchestrator/plan/load.hpp"

namespace vt {

/// A plan that was read and found good, with the catalogue it was read against.
struct PlanToRun {
  Plan plan;
  LoadedCatalogue catalogue;
};

/// Starts a new run of it and sees it through to its report. Gives the exit code.
int start_run(const CommandLine&, const PlanToRun&);

/// Goes on with the interrupted run `run` of the store.
int continue_run(const CommandLine&);

}  // namespace vt
