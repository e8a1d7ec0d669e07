#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "orchestrator/model/capability.hpp"
#include "orchestrator/model/check.hpp"
#include "orchestrator/model/money.hpp"
#include "orchestrator/model/plan.hpp"
#include "orchestrator/model/result.hpp"

namespace vt {

/// --layer, --suite, --check, --level. Empty = everything.
struct Selection {
  std::vector<std::string> layers, suites, checks;  ///< checks: globs
  std::optional<Level> level;                       ///< replaces the plan's
  bool brief = false;  ///< each check as short as its row allows: a rehearsal's stand-ins are somebody's own machine
  [[nodiscard]] bool whole() const { return layers.empty() && suites.empty() && checks.empty(); }
};

/// What the planner must be told of a provider; asked beforehand so that planning itself is pure.
struct Offer {
  Capabilities capabilities;
  Money hourly;
  bool price_known = true;
  bool can_run = true;
  std::string market;
  Duration start_low{0}, start_high{0};
};

struct PlannedCheck {
  std::shared_ptr<const Check> check;  ///< the row as this layer and level run it; see tune.hpp
  enum class Forecast { run, skip, unknown } forecast = Forecast::run;
  std::string reason;                   ///< "kernel.modules: pods share the host's kernel"
  std::vector<std::string> covered_by;  ///< for skip: layers of this plan that will run it
};

struct LayerPlan {
  const Layer* layer = nullptr;
  int stage = 1;  ///< layers of one stage run side by side
  std::vector<PlannedCheck> checks;
  Duration low{0}, high{0};
  Money cost_low, cost_high;
  bool price_known = true, can_run = true;
};

struct RunPlan {
  std::vector<LayerPlan> layers;      ///< by stage, then file order
  std::vector<std::string> unproven;  ///< checks no layer will prove (gate and warn ones)
  Duration low{0}, high{0};
  Money cost_low, cost_high;
};

/// Pure: same input, same plan. `offers` by layer name; a layer without one is planned with nothing known of it. What a
/// layer that cannot run yet would prove covers nothing. Problems (an unknown layer, suite or check in the selection, a
/// gate cycle, nothing selected) are Errc::usage.
Result<RunPlan> make_run_plan(const Plan&, const Catalogue&, const std::map<std::string, Offer>& offers, const Selection&);
/// The checks of one layer in running order: suites in the order given, dependencies first, no duplicates.
std::vector<const Check*> select_checks(const Layer&, const Catalogue&, const Selection&);

}  // namespace vt
