#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "orchestrator/engine/context.hpp"
#include "orchestrator/engine/group_board.hpp"
#include "orchestrator/planner/run_plan.hpp"

namespace vt {

/// Everything one host of a layer needs to be tested.
struct HostTask {
  std::string run;
  const LayerPlan& plan;
  Host host;
  Capabilities predicted;
  GroupBoard& group;                         ///< of the layer's hosts
  bool claim = false;                        ///< an existing machine others may use too: take it for this layer
  std::optional<Deadline> time_budget;       ///< of the layer; what is not done by then is cancelled
  std::map<std::string, Judgement> earlier;  ///< by check id: verdicts of this host from before an interruption
  std::function<void(LayerState, const std::string&)> advance;
  /// What its provider says became of a host that no longer answers; empty if it knows nothing.
  std::function<std::string()> fate;
  /// Checks of several hosts that all of them repeat, because one has no verdict yet; with the attempt's number, which must be the same.
  std::map<std::string, int> together = {};
};

/// Connects, deploys the agent, probes, runs every check. Each check of the layer has a stored verdict afterwards, whatever
/// happens. The error, if any, is why the host was lost; a check that failed is no error.
Status run_host(Context&, const HostTask&);

/// A verdict that says nothing about the host, because the check never had its chance: repeated by `resume`.
bool is_repeated_by_resume(const Judgement&);

}  // namespace vt
