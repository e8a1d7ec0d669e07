#include "orchestrator/baseline/hold.hpp"

#include <cmath>

#include "orchestrator/model/figure_text.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

using State = Held::State;

std::optional<double> number_of(const Value& value) {
  if (auto whole = value.as<std::int64_t>()) return static_cast<double>(*whole);
  if (auto number = value.as<double>(); number && std::isfinite(*number)) return *number;
  return std::nullopt;
}

std::string origin_of(const Figure& f) {
  return std::string(name(f.kind)) + ", " + join(f.sources, " and ") + ", " + f.date + ", " + f.file;
}

std::string rule_text(const Figure& f, double ratio) {
  return "at-least " + figure_text(f.low * ratio) + " " + f.unit + ": " + figure_text(ratio * 100) + " % of " + figure_text(f.low) + " (" +
         origin_of(f) + ")";
}

struct Limits {
  const Figure& figure;
  std::optional<double> most;
};

Held hold_number(const Value& measured, const Limits& limits) {
  auto& f = limits.figure;
  auto x = number_of(measured);
  if (!x)
    return {State::unreadable, rule_text(f, f.warn.value_or(1)),
            measured.is_null() ? "no value" : "'" + measured.text() + "' is not a number"};
  auto is = figure_text(*x) + " " + f.unit;
  if (limits.most && *x > *limits.most)
    return {State::implausible, "at-most " + figure_text(*limits.most) + " " + f.unit,
            "measured " + is + ", more than the " + figure_text(*limits.most) + " that can be: the measurement is not believed"};
  auto below = [&](double ratio) { return "measured " + is + ", required " + rule_text(f, ratio); };
  double ratio = *x / f.low;
  if (f.fail && ratio < *f.fail) return {State::missed, rule_text(f, *f.fail), below(*f.fail)};
  if (f.warn && ratio < *f.warn) return {State::low, rule_text(f, *f.warn), below(*f.warn)};
  return {State::held, rule_text(f, f.warn ? *f.warn : *f.fail), ""};
}

/// What outranks what among the GPUs of one list: a definite miss, then what was not measured, then what is only low.
int rank(State state) {
  switch (state) {
    case State::missed: return 4;
    case State::unreadable: return 3;
    case State::implausible: return 2;
    case State::low: return 1;
    default: return 0;
  }
}

Held hold_list(const Value::List& list, const Limits& limits) {
  Held worst = hold_number(list.front(), limits);
  std::size_t at = 0;
  for (std::size_t i = 1; i < list.size(); ++i) {
    auto next = hold_number(list[i], limits);
    if (rank(next.state) > rank(worst.state)) worst = next, at = i;
  }
  if (worst.state != State::held) worst.why = "#" + std::to_string(at) + ": " + worst.why;
  return worst;
}

Held none(const std::string& why) { return {State::no_baseline, "", why + "; `vault-test baseline learn RUN` makes one"}; }

}  // namespace

Held hold(const Value& measured, const std::string& key, const std::string& device, const Baselines& all) {
  auto gpus = gpus_in(device);
  if (gpus.empty()) return none("no baseline: the measurement names no GPU");
  if (gpus.size() > 1) return {State::no_baseline, "", "no baseline: GPUs of several models, " + device};
  auto& [gpu, count] = *gpus.begin();
  auto figure = all.find(gpu, key, count);
  if (!figure) return none(all.knows(gpu) ? "no baseline of " + key + " for " + gpu : "no baseline for " + gpu);
  Limits limits{*figure, all.most(gpu, key, count)};
  auto list = measured.as<Value::List>();
  if (!list) return hold_number(measured, limits);
  if (list->empty()) return {State::unreadable, rule_text(*figure, figure->warn.value_or(1)), "no value"};
  return hold_list(*list, limits);
}

}  // namespace vt
