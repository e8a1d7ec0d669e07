#include "orchestrator/planner/tune.hpp"

namespace vt {

namespace {

void put_over(Values& args, const Values& over) {
  for (auto& [name, value] : over) args[name] = value;
}

void tune_to_level(Check& check, Values& args, Level level) {
  auto above = check.levels.upper_bound(level);
  if (above == check.levels.begin()) return;
  auto& tuning = std::prev(above)->second;
  put_over(args, tuning.args);
  check.timeout = tuning.timeout.value_or(check.timeout);
  check.typical = tuning.typical.value_or(check.typical);
}

void burn_for(Check& check, Values& args, Duration wanted) {
  auto seconds = std::chrono::ceil<std::chrono::seconds>(wanted);
  auto own = args["seconds"].as<std::int64_t>();
  Duration longer = seconds - std::chrono::seconds(own ? *own : 0);
  args["seconds"] = std::int64_t{seconds.count()};
  check.timeout += longer;
  check.typical = std::max(check.typical + longer, Duration{seconds});
}

}  // namespace

Check tuned(const Check& row, const Layer& layer, Level level) {
  Check check = row;
  Values none;
  auto run = std::get_if<AgentRun>(&check.how);
  auto& args = run ? run->args : none;
  tune_to_level(check, args, level);
  if (run && check.burn && layer.burn) burn_for(check, args, *layer.burn);
  if (auto own = layer.params.find(check.id); run && own != layer.params.end()) put_over(args, own->second);
  return check;
}

Check brief(const Check& row, const Layer& layer) {
  Layer without_burn;
  without_burn.params = layer.params;
  return tuned(row, without_burn, Level::quick);
}

}  // namespace vt
