#include "orchestrator/plan/fields.hpp"
#include "orchestrator/plan/plan_context.hpp"
#include "orchestrator/plan/scalars.hpp"

namespace vt {

namespace {

using yaml::Fields;
using yaml::Node;

SubjectSpec read_subject(const Node& node, PlanContext& context) {
  SubjectSpec subject;
  Fields fields(node, "subject", {"git", "require"}, context.problems);
  fields.need("git");
  fields.read("git", subject.git);
  fields.read_enum("require", subject.require_clean, {"any", "clean"});
  return subject;
}

std::vector<std::string> read_secrets(const Node& node, PlanContext& context) {
  std::vector<std::string> out;
  for (auto item : yaml::scalars(node, "the name of a secret", context.problems)) {
    out.push_back(item->text);
    if (!is_secret_name(item->text))
      complain(context.problems, item->where,
               "secret " + in_quotes(item->text) +
                   " is not a name; expected [A-Z][A-Z0-9_]*, the name of an environment variable, never its value");
  }
  return out;
}

SignOff read_signoff(const Node& node, const Node* layers, PlanContext& context) {
  SignOff out;
  Fields fields(node, "signoff", {"max-age", "must-prove"}, context.problems);
  fields.read("max-age", out.max_age);
  auto must = fields.find("must-prove");
  if (!must) return out;
  Fields per_layer(*must, "must-prove", {}, context.problems);
  std::vector<std::string> names;
  if (layers)
    for (auto& entry : layers->entries) names.push_back(entry.key);
  for (auto& entry : must->entries) {
    if (!layers || !layers->find(entry.key))
      complain(context.problems, entry.where, "no layer " + in_quotes(entry.key) + expected_one_of(entry.key, names));
    out.must_prove[entry.key] = read_checks(entry.value, context);
  }
  return out;
}

}  // namespace

Plan read_plan(const Node& root, PlanContext& context) {
  static const std::vector<std::string> keys{"vault-test", "name",   "purpose", "subject", "vars",   "secrets",
                                             "budget",     "expect", "include", "layers",  "signoff"};
  Plan plan;
  Fields fields(root, "the plan", keys, context.problems);
  fields.need("name");
  fields.read("name", plan.name, is_plain_name, "[a-z0-9][a-z0-9._-]{0,62}");
  fields.read("purpose", plan.purpose);
  if (auto subject = fields.find("subject")) plan.subject = read_subject(*subject, context);
  if (auto secrets = fields.find("secrets")) plan.secrets = read_secrets(*secrets, context);
  if (auto budget = fields.find("budget")) plan.budget = read_budget(*budget, context);
  Expectations shared;
  if (auto expect = fields.find("expect")) shared = read_expectations(*expect, context);
  auto layers = fields.need("layers");
  if (layers) {
    Fields list(*layers, "layers", {}, context.problems);
    if (layers->kind == Node::Kind::map && layers->entries.empty())
      complain(context.problems, layers->where, "layers is empty; expected at least one layer");
    for (auto& entry : layers->entries) plan.layers.push_back(read_layer(entry, shared, context));
    check_gates(*layers, plan.layers, context);
  }
  if (auto signoff = fields.find("signoff")) plan.signoff = read_signoff(*signoff, layers, context);
  return plan;
}

}  // namespace vt
