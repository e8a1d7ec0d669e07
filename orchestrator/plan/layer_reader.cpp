#include <algorithm>
#include <filesystem>

#include "orchestrator/model/capability_ids.hpp"
#include "orchestrator/model/text.hpp"
#include "orchestrator/plan/fields.hpp"
#include "orchestrator/plan/plan_context.hpp"
#include "orchestrator/plan/scalars.hpp"

namespace vt {

namespace {

using yaml::Fields;
using yaml::Node;

const std::vector<std::string>& layer_keys() {
  static const std::vector<std::string> keys{"proves", "provider", "after",  "suites",   "checks", "skip",   "expect",
                                             "level",  "burn",     "budget", "declares", "hosts",  "params", "payload"};
  return keys;
}

std::string read_provider(const Fields& fields, PlanContext& context) {
  std::vector<std::string> names;
  for (auto& schema : context.providers) names.push_back(schema.name);
  auto node = fields.need("provider");
  if (!node) return {};
  auto provider = yaml::scalar(*node, "the name of a provider", context.problems);
  if (node->kind == Node::Kind::scalar && std::find(names.begin(), names.end(), provider) == names.end())
    complain(context.problems, node->where, "provider " + in_quotes(provider) + " is unknown" + expected_one_of(provider, names));
  return provider;
}

std::vector<std::string> read_suites(const Node* node, PlanContext& context) {
  std::vector<std::string> out;
  if (!node) return out;
  for (auto item : yaml::scalars(*node, "the name of a suite", context.problems)) {
    if (context.catalogue.suite(item->text)) out.push_back(item->text);
    else
      complain(context.problems, item->where,
               "no suite " + in_quotes(item->text) + " in the catalogue" + expected_one_of(item->text, context.suite_ids));
  }
  return out;
}

/// Globs that fit no check of the layer would silently skip nothing.
void read_skip(const Node* node, Layer& layer, PlanContext& context) {
  if (!node) return;
  std::vector<std::string> selected = layer.checks;
  for (auto& suite : layer.suites) {
    auto& checks = context.catalogue.suite(suite)->checks;
    selected.insert(selected.end(), checks.begin(), checks.end());
  }
  for (auto item : yaml::scalars(*node, "the id or glob of a check", context.problems)) {
    layer.skip.push_back(item->text);
    bool fits = std::any_of(selected.begin(), selected.end(), [&](auto& id) { return glob_match(item->text, id); });
    if (!fits)
      complain(context.problems, item->where,
               "skip " + in_quotes(item->text) + " fits no check of this layer; expected the id or glob of one" +
                   nearest_hint(item->text, selected));
  }
}

void read_declares(const Node* node, Layer& layer, PlanContext& context) {
  if (!node) return;
  Fields fields(*node, "declares", {}, context.problems);
  std::vector<std::string> ids;
  for (auto& known : known_capabilities()) ids.emplace_back(known.id);
  for (auto& entry : node->entries) {
    auto type = capability_type(entry.key);
    if (!type) {
      complain(context.problems, entry.where,
               "no capability " + in_quotes(entry.key) + "; expected a capability id" + nearest_hint(entry.key, ids));
      continue;
    }
    auto text = yaml::scalar(entry.value, "the value of the capability", context.problems);
    auto value = read_as(*type, text);
    if (value.is_null() && entry.value.kind == Node::Kind::scalar && !entry.value.open)
      complain(context.problems, entry.value.where,
               in_quotes(text) + " does not fit capability " + entry.key + "; expected a value of its type");
    layer.declares[entry.key] = value;
  }
}

Gate read_gate(const std::string& layer, const Node* options, PlanContext& context) {
  Gate gate{layer, std::nullopt};
  if (!options || options->kind == Node::Kind::nothing) return gate;
  Fields fields(*options, "a gate", {"passed-within"}, context.problems);
  fields.read("passed-within", gate.passed_within);
  return gate;
}

std::vector<Gate> read_after(const Node* node, PlanContext& context) {
  std::vector<Gate> gates;
  if (!node) return gates;
  if (node->kind == Node::Kind::map) {
    for (auto& entry : node->entries) gates.push_back(read_gate(entry.key, &entry.value, context));
    return gates;
  }
  for (auto item : yaml::scalars(*node, "the name of a layer", context.problems)) gates.push_back(read_gate(item->text, nullptr, context));
  return gates;
}

/// It is looked at now: a run that created a host first would find out too late.
void read_payload_folder(const Node* node, Layer& layer, PlanContext& context) {
  if (!node) return;
  layer.payload = yaml::scalar(*node, "a folder with libraries", context.problems);
  std::error_code none;
  if (!node->open && !layer.payload.empty() && !std::filesystem::is_directory(layer.payload, none))
    complain(context.problems, node->where,
             "payload: " + in_quotes(layer.payload) + " is no folder; expected one with libraries for the agent");
}

bool names_nothing(const Node* list) { return !list || (list->kind == Node::Kind::list && list->items.empty()); }

}  // namespace

Layer read_layer(const yaml::Entry& entry, const Expectations& shared, PlanContext& context) {
  auto& node = entry.value;
  Fields fields(node, "layer " + in_quotes(entry.key), {}, context.problems);
  Layer layer;
  layer.name = entry.key;
  layer.where = entry.where;
  if (!is_plain_name(entry.key))
    complain(context.problems, entry.where, "layer name " + in_quotes(entry.key) + " is not valid; expected [a-z0-9][a-z0-9._-]{0,62}");
  if (node.kind != Node::Kind::map) return layer;
  fields.read("proves", layer.proves);
  layer.provider = read_provider(fields, context);
  layer.after = read_after(fields.find("after"), context);
  layer.suites = read_suites(fields.find("suites"), context);
  if (auto checks = fields.find("checks")) layer.checks = read_checks(*checks, context);
  read_skip(fields.find("skip"), layer, context);
  layer.expect = shared;
  if (auto expect = fields.find("expect"))
    for (auto& [key, expected] : read_expectations(*expect, context)) layer.expect[key] = expected;
  if (auto params = fields.find("params")) layer.params = read_params(*params, context);
  fields.read_enum("level", layer.level, {"quick", "standard", "full"});
  fields.read("burn", layer.burn);
  read_payload_folder(fields.find("payload"), layer, context);
  if (auto budget = fields.find("budget")) layer.budget = read_budget(*budget, context);
  read_declares(fields.find("declares"), layer, context);
  layer.hosts = read_hosts(node, layer.provider, context);
  layer.options = read_options(node, layer_keys(), layer.provider, context);
  if (names_nothing(fields.find("suites")) && names_nothing(fields.find("checks")))
    complain(context.problems, entry.where,
             "layer '" + entry.key + "' has no suites and no checks, so nothing would run; expected at least one");
  return layer;
}

}  // namespace vt
