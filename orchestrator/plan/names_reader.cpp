#include <algorithm>

#include "orchestrator/plan/expectation_reader.hpp"
#include "orchestrator/plan/fields.hpp"
#include "orchestrator/plan/plan_context.hpp"

namespace vt {

namespace {

/// The value an expectation's key names: "os.kernel" or "os.kernel/release"; nullptr and a problem if there is none.
const ValueSpec* value_named(const yaml::Entry& entry, PlanContext& context) {
  auto slash = entry.key.find('/');
  auto id = entry.key.substr(0, slash);
  auto name = slash == std::string::npos ? "value" : entry.key.substr(slash + 1);
  auto check = context.catalogue.check(id);
  if (!check) {
    complain(context.problems, entry.where,
             "no check " + in_quotes(id) + " in the catalogue; expected CHECK or CHECK/VALUE" + nearest_hint(id, context.check_ids));
    return nullptr;
  }
  if (auto value = check->value(name)) return value;
  std::vector<std::string> names;
  for (auto& value : check->values) names.push_back(value.name);
  complain(context.problems, entry.where, "check '" + id + "' has no value " + in_quotes(name) + expected_one_of(name, names));
  return nullptr;
}

}  // namespace

std::vector<std::string> read_checks(const yaml::Node& node, PlanContext& context) {
  std::vector<std::string> out;
  for (auto item : yaml::scalars(node, "a check id", context.problems)) {
    if (context.catalogue.check(item->text)) out.push_back(item->text);
    else
      complain(
          context.problems, item->where,
          "no check " + in_quotes(item->text) + " in the catalogue; expected a check id" + nearest_hint(item->text, context.check_ids));
  }
  return out;
}

Expectations read_expectations(const yaml::Node& node, PlanContext& context) {
  Expectations out;
  yaml::Fields fields(node, "expect", {}, context.problems);
  for (auto& entry : node.entries) {
    auto value = value_named(entry, context);
    if (!value) continue;
    if (auto expected = read_expectation(entry.value, value->type, context.problems)) out[entry.key] = *expected;
  }
  return out;
}

Budget read_budget(const yaml::Node& node, PlanContext& context) {
  Budget out;
  yaml::Fields fields(node, "budget", {"usd", "minutes", "time"}, context.problems);
  fields.read("usd", out.usd);
  int minutes = 0;
  fields.read("minutes", minutes, 1, 60 * 24 * 365);
  if (minutes > 0) out.time = std::chrono::minutes(minutes);
  fields.read("time", out.time);
  return out;
}

}  // namespace vt
