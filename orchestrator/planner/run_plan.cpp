#include "orchestrator/planner/run_plan.hpp"

#include <algorithm>

#include "orchestrator/model/text.hpp"
#include "orchestrator/planner/stages.hpp"
#include "orchestrator/planner/tune.hpp"
#include "orchestrator/planner/undone_parts.hpp"

namespace vt {

namespace {

using Forecast = PlannedCheck::Forecast;

tl::unexpected<Error> unknown(const std::string& what, const std::string& name, const std::vector<std::string>& known) {
  auto close = nearest(name, known);
  return fail(Errc::usage,
              "no " + what + " '" + name + "'" + (close.empty() ? "; known: " + join(known, ", ") : "; did you mean '" + close + "'?"));
}

template <class List>
std::vector<std::string> names(const List& list) {
  std::vector<std::string> out;
  for (auto& item : list) {
    if constexpr (requires { item.id; }) out.push_back(item.id);
    else out.push_back(item.name);
  }
  return out;
}

Status check_selection(const Plan& plan, const Catalogue& catalogue, const Selection& selection) {
  for (auto& layer : selection.layers)
    if (!plan.layer(layer)) return unknown("layer", layer, names(plan.layers));
  for (auto& suite : selection.suites)
    if (!catalogue.suite(suite)) return unknown("suite", suite, names(catalogue.suites));
  for (auto& glob : selection.checks) {
    auto hits = [&](auto& check) { return glob_match(glob, check.id); };
    if (std::any_of(catalogue.checks.begin(), catalogue.checks.end(), hits)) continue;
    auto close = nearest(glob, names(catalogue.checks));
    return fail(Errc::usage, "no check matches '" + glob + "'" + (close.empty() ? "" : "; did you mean '" + close + "'?"));
  }
  return {};
}

/// What is known of the layer's hosts before they are seen: the provider's prediction, and over it what the user declares.
Capabilities expected_of(const Layer& layer, const Offer& offer) {
  Capabilities known = offer.capabilities;
  for (auto& [id, value] : layer.declares) known.set({id, value, "declared in the plan", FactOrigin::declared, FactScope::host});
  return known;
}

PlannedCheck forecast(const Check& check, const Layer& layer, const Selection& selection, const Capabilities& known) {
  auto row = selection.brief ? brief(check, layer) : tuned(check, layer, selection.level.value_or(layer.level));
  PlannedCheck out{std::make_shared<Check>(std::move(row)), Forecast::run, {}, {}};
  if (std::any_of(layer.skip.begin(), layer.skip.end(), [&](auto& glob) { return glob_match(glob, check.id); })) {
    out.forecast = Forecast::skip, out.reason = "by the operator";
    return out;
  }
  auto answer = check.needs.evaluate(known);
  if (answer.state == Requirement::State::met) return out;
  out.forecast = answer.state == Requirement::State::absent ? Forecast::skip : Forecast::unknown;
  out.reason = answer.capability + (answer.evidence.empty() ? "" : ": " + answer.evidence);
  return out;
}

std::int64_t seconds(Duration d) { return (d.count() + 999) / 1000; }

/// From the checks that may run: usually their typical time, at worst three times that, never beyond their timeout.
void estimate(LayerPlan& l, const Offer& offer) {
  l.low = offer.start_low, l.high = offer.start_high;
  for (auto& planned : l.checks) {
    if (planned.forecast == Forecast::skip) continue;
    l.low += planned.check->typical;
    l.high += std::max(planned.check->typical, std::min(planned.check->timeout, 3 * planned.check->typical));
  }
  l.cost_low = price_for(offer.hourly, seconds(l.low));
  l.cost_high = price_for(offer.hourly, seconds(l.high));
}

LayerPlan plan_layer(const Layer& layer, const Catalogue& catalogue, const Offer& offer, const Selection& selection) {
  LayerPlan out;
  out.layer = &layer, out.price_known = offer.price_known, out.can_run = offer.can_run;
  auto known = expected_of(layer, offer);
  if (selection.suites.empty() && selection.checks.empty())
    for (auto part : undone_parts(layer)) out.checks.push_back({{std::shared_ptr<void>(), part}, Forecast::unknown, "no runner yet", {}});
  for (auto check : select_checks(layer, catalogue, selection)) out.checks.push_back(forecast(*check, layer, selection, known));
  estimate(out, offer);
  return out;
}

/// The selected layers. One that a selection leaves without checks is dropped: it would cost a host and prove nothing.
std::vector<LayerPlan> plan_layers(const Plan& plan, const Catalogue& catalogue, const std::map<std::string, Offer>& offers,
                                   const Selection& selection) {
  std::vector<LayerPlan> out;
  bool narrowed = !selection.whole() || selection.level;
  for (auto& layer : plan.layers) {
    auto& wanted = selection.layers;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), layer.name) == wanted.end()) continue;
    auto offer = offers.find(layer.name);
    auto planned = plan_layer(layer, catalogue, offer == offers.end() ? Offer{} : offer->second, selection);
    if (!planned.checks.empty() || !narrowed) out.push_back(std::move(planned));
  }
  return out;
}

/// Fills in covered_by of every skip, and lists the gating and advisory checks that nobody will prove.
void cover(RunPlan& plan) {
  std::map<std::string, std::vector<std::string>> runs, may_run;
  for (auto& l : plan.layers)
    for (auto& planned : l.checks) {
      if (!l.can_run || planned.forecast == Forecast::skip) continue;
      may_run[planned.check->id].push_back(l.layer->name);
      if (planned.forecast == Forecast::run) runs[planned.check->id].push_back(l.layer->name);
    }
  std::set<std::string> listed;
  for (auto& l : plan.layers)
    for (auto& planned : l.checks) {
      if (planned.forecast == Forecast::skip) planned.covered_by = runs[planned.check->id];
      bool proven = planned.check->severity == Severity::info || may_run.contains(planned.check->id);
      if (!proven && listed.insert(planned.check->id).second) plan.unproven.push_back(planned.check->id);
    }
}

}  // namespace

Result<RunPlan> make_run_plan(const Plan& plan, const Catalogue& catalogue, const std::map<std::string, Offer>& offers,
                              const Selection& selection) {
  VT_CHECK(check_selection(plan, catalogue, selection));
  RunPlan out;
  out.layers = plan_layers(plan, catalogue, offers, selection);
  if (std::all_of(out.layers.begin(), out.layers.end(), [](auto& l) { return l.checks.empty(); }))
    return fail(Errc::usage, "nothing to run: no layer has a check that this selection and level leave");
  VT_CHECK(assign_stages(out.layers));
  std::stable_sort(out.layers.begin(), out.layers.end(), [](auto& a, auto& b) { return a.stage < b.stage; });
  cover(out);
  auto span = longest_path(out.layers);
  out.low = span.low, out.high = span.high;
  for (auto& l : out.layers) out.cost_low += l.cost_low, out.cost_high += l.cost_high;
  return out;
}

}  // namespace vt
