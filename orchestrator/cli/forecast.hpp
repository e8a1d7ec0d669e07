#pragma once
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/cli/online.hpp"
#include "orchestrator/model/subject.hpp"
#include "orchestrator/planner/run_plan.hpp"
#include "orchestrator/report/layout.hpp"

namespace vt {

/// What `vault-test plan` shows: what would run where, what nobody proves, what it would cost. Nothing was created or asked.
struct Forecast {
  const Plan& plan;
  const RunPlan& run_plan;
  std::vector<std::string> missing;  ///< to run
  Subject subject;
  std::optional<std::vector<OnlineAnswer>> online;  ///< with --online
};

std::string forecast_text(const Forecast&, const TextStyle&);
std::string forecast_json(const Forecast&);

}  // namespace vt
