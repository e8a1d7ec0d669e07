#include "orchestrator/plan/check_reader.hpp"
#include "orchestrator/plan/plan_context.hpp"

namespace vt {

namespace {

using yaml::Fields;
using yaml::Node;

std::vector<std::string> names_of(const Values& args) {
  std::vector<std::string> out;
  for (auto& [name, value] : args) out.push_back(name);
  return out;
}

/// Arguments over those a row has: only the row's own can be meant, so that a typing error is not a new argument.
Values read_arguments(const Node& node, const std::string& what, const Values& known, Problems& problems) {
  Values out;
  Fields fields(node, what, {}, problems);
  for (auto& entry : node.entries) {
    if (!known.contains(entry.key))
      complain(problems, entry.where,
               "no argument " + in_quotes(entry.key) + " in the check's own args" + expected_one_of(entry.key, names_of(known)));
    out[entry.key] = read_argument(entry.value, problems);
  }
  return out;
}

LevelTuning read_level(const Node& node, const std::string& level, const AgentRun* run, Problems& problems) {
  LevelTuning out;
  Fields fields(node, "level " + level, {"args", "timeout", "typical"}, problems);
  fields.read("timeout", out.timeout);
  fields.read("typical", out.typical);
  auto args = fields.find("args");
  if (args && !run) complain(problems, args->where, "args of a check that is no agent check; expected timeout or typical");
  if (args && run) out.args = read_arguments(*args, "args", run->args, problems);
  return out;
}

/// A level at or below the check's own would never be merged: its own parameters are those.
void read_levels(const Node& node, const AgentRun* run, Check& check, Problems& problems) {
  Fields fields(node, "levels", {"standard", "full"}, problems);
  for (auto level : {Level::standard, Level::full}) {
    std::string key(name(level));
    auto block = fields.find(key);
    if (!block) continue;
    if (level <= check.level)
      complain(problems, block->where,
               "levels has " + key + ", and the check's own level is " + std::string(name(check.level)) + "; expected a level above it");
    check.levels[level] = read_level(*block, key, run, problems);
  }
}

void needs_agent(const Fields& fields, const std::string& key, const AgentRun* run) {
  if (fields.find(key) && !run)
    complain(fields.problems(), fields.find(key)->where, key + " of a check that is no agent check; expected run: {agent: NAME}");
}

}  // namespace

void read_tuning(const Fields& fields, Check& check) {
  auto run = std::get_if<AgentRun>(&check.how);
  fields.read("cpu", check.cpu);
  fields.read("burn", check.burn);
  needs_agent(fields, "cpu", run);
  needs_agent(fields, "burn", run);
  if (check.burn && run && (!run->args.contains("seconds") || !run->args.at("seconds").as<std::int64_t>()))
    complain(fields.problems(), fields.find("burn")->where,
             "burn without a whole number of args.seconds; expected how long it runs by itself");
  if (auto levels = fields.find("levels")) read_levels(*levels, run, check, fields.problems());
}

Params read_params(const Node& node, PlanContext& context) {
  Params out;
  Fields fields(node, "params", {}, context.problems);
  for (auto& entry : node.entries) {
    auto check = context.catalogue.check(entry.key);
    auto run = check ? std::get_if<AgentRun>(&check->how) : nullptr;
    if (!check)
      complain(context.problems, entry.where,
               "no check " + in_quotes(entry.key) + " in the catalogue; expected a check id" + nearest_hint(entry.key, context.check_ids));
    else if (!run) complain(context.problems, entry.where, "check '" + entry.key + "' takes no arguments; expected an agent check");
    else out[entry.key] = read_arguments(entry.value, "params of " + entry.key, run->args, context.problems);
  }
  return out;
}

}  // namespace vt
