#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "orchestrator/cli/clouds.hpp"
#include "orchestrator/planner/run_plan.hpp"
#include "orchestrator/report/layout.hpp"

namespace vt {

/// What one layer's provider answered when it was asked; nothing was created.
struct OnlineAnswer {
  std::string layer, provider;
  std::vector<Finding> findings;
  std::vector<Candidate> offers;  ///< cheapest first
  std::string problem;            ///< why there are no offers
};

/// Asks the provider of every layer of the plan, side by side.
std::vector<OnlineAnswer> ask_online(const Clouds&, const RunPlan&);
std::string online_text(const std::vector<OnlineAnswer>&, const TextStyle&);
nlohmann::json online_json(const std::vector<OnlineAnswer>&);
/// Whether some layer cannot run as things are.
bool stops(const std::vector<OnlineAnswer>&);

}  // namespace vt
