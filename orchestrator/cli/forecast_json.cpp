#include <nlohmann/json.hpp>

#include "orchestrator/cli/forecast.hpp"

namespace vt {

using nlohmann::json;

namespace {

std::string_view text(PlannedCheck::Forecast f) {
  return f == PlannedCheck::Forecast::run ? "run" : f == PlannedCheck::Forecast::skip ? "skip" : "unknown";
}

json seconds(Duration low, Duration high) { return {{"low", low.count() / 1000}, {"high", high.count() / 1000}}; }

json layer_json(const LayerPlan& l) {
  json checks = json::array();
  for (auto& c : l.checks)
    checks.push_back({{"id", c.check->id}, {"forecast", text(c.forecast)}, {"reason", c.reason}, {"covered_by", c.covered_by}});
  json gates = json::array();
  for (auto& gate : l.layer->after) gates.push_back(gate.layer);
  return {{"name", l.layer->name},
          {"provider", l.layer->provider},
          {"stage", l.stage},
          {"after", gates},
          {"can_run", l.can_run},
          {"seconds", seconds(l.low, l.high)},
          {"price_known", l.price_known},
          {"cost_microusd", {{"low", l.cost_low.micro}, {"high", l.cost_high.micro}}},
          {"checks", checks}};
}

}  // namespace

std::string forecast_json(const Forecast& f) {
  json layers = json::array();
  for (auto& l : f.run_plan.layers) layers.push_back(layer_json(l));
  json out{{"version", 1},
           {"plan", f.plan.name},
           {"subject", {{"commit", f.subject.commit}, {"dirty", f.subject.dirty}}},
           {"layers", layers},
           {"unproven", f.run_plan.unproven},
           {"missing", f.missing},
           {"seconds", seconds(f.run_plan.low, f.run_plan.high)},
           {"cost_microusd", {{"low", f.run_plan.cost_low.micro}, {"high", f.run_plan.cost_high.micro}}}};
  if (f.online) out["online"] = online_json(*f.online);
  return out.dump(2, ' ', true, json::error_handler_t::replace) + "\n";
}

}  // namespace vt
