#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
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
  std::vector<Candidate> offers;   ///< cheapest first
  std::string problem;             ///< why there are no offers
  std::optional<Candidate> first;  ///< of those with a price and in stock, the one that is tried first
};

/// Asks the provider of every layer of the plan, side by side.
std::vector<OnlineAnswer> ask_online(const Clouds&, const RunPlan&);
/// Puts the prices that providers told in place of what is known without asking.
void apply_prices(const std::vector<OnlineAnswer>&, std::map<std::string, Offer>& offers);
std::string online_text(const std::vector<OnlineAnswer>&, const TextStyle&);
nlohmann::json online_json(const std::vector<OnlineAnswer>&);
/// Whether some layer cannot run as things are.
bool stops(const std::vector<OnlineAnswer>&);

}  // namespace vt
