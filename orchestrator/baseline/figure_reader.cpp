#include "orchestrator/baseline/figure_reader.hpp"

#include "orchestrator/model/value.hpp"
#include "orchestrator/plan/fields.hpp"
#include "orchestrator/plan/problems.hpp"
#include "orchestrator/plan/scalars.hpp"

namespace vt {

namespace {

using yaml::Fields;
using yaml::Node;

const std::vector<std::string> kKinds{"theory", "measured", "learned"};

/// A number above zero; 0 and a problem for anything else.
double positive(const Node& node, const std::string& what, Problems& problems) {
  auto text = yaml::scalar(node, "a number", problems);
  auto value = read_as(ValueType::number, text);
  auto number = value.as<double>();
  auto whole = value.as<std::int64_t>();
  double out = number ? *number : whole ? static_cast<double>(*whole) : 0;
  if (node.kind == Node::Kind::scalar && !(out > 0))
    complain(problems, node.where, what + " " + in_quotes(text) + " is not a number above 0; expected for example 0.95");
  return out;
}

void read_ratio(const Fields& fields, const char* key, std::optional<double>& out) {
  if (auto node = fields.find(key)) out = positive(*node, key, fields.problems());
}

template <class Target>
void read_ratios(const Fields& fields, Target& out) {
  read_ratio(fields, "warn", out.warn);
  read_ratio(fields, "fail", out.fail);
  read_ratio(fields, "max", out.max);
  if (out.warn && out.fail && *out.fail > *out.warn)
    complain(fields.problems(), fields.find("fail")->where, "fail is above warn; expected it at or below");
}

/// "1792", or a range "[1375, 1490]".
void read_value(const Node& node, Figure& out, Problems& problems) {
  if (node.kind != Node::Kind::list) {
    out.low = out.high = positive(node, "value", problems);
    return;
  }
  if (node.items.size() != 2)
    return complain(problems, node.where,
                    "value is a list of " + std::to_string(node.items.size()) + "; expected one value or [low, high]");
  out.low = positive(node.items[0], "value", problems), out.high = positive(node.items[1], "value", problems);
  if (out.low > out.high) complain(problems, node.where, "value runs from high to low; expected [low, high]");
}

}  // namespace

Figure read_figure(const Node& node, Problems& problems) {
  Fields fields(node, "a figure", {"key", "value", "unit", "kind", "source", "date", "note", "gpus", "mib", "held", "warn", "fail", "max"},
                problems);
  Figure out;
  for (auto key : {"key", "unit", "kind", "source", "date"}) fields.need(key);
  fields.read("key", out.keys);
  for (auto& key : out.keys)
    if (!is_check_id(key))
      complain(problems, fields.find("key")->where, "key " + in_quotes(key) + " is not valid; expected for example gemm.bf16");
  if (auto value = fields.need("value")) read_value(*value, out, problems);
  fields.read("unit", out.unit);
  fields.read_enum("kind", out.kind, kKinds);
  fields.read("source", out.sources);
  fields.read("date", out.date, is_date, "a date such as 2026-11-20");
  fields.read("note", out.note);
  fields.read("gpus", out.gpus, 1, 100'000);
  fields.read("mib", out.mib, 1, 1'000'000);
  fields.read("held", out.held);
  read_ratios(fields, out);
  return out;
}

BaselineRule read_rule(const Node& node, Problems& problems) {
  Fields fields(node, "a rule", {"keys", "kind", "warn", "fail", "max", "why"}, problems);
  BaselineRule out;
  std::string why;
  for (auto key : {"keys", "kind", "why"}) fields.need(key);
  fields.read("keys", out.keys);
  fields.read_enum("kind", out.kind, kKinds);
  fields.read("why", why);
  read_ratios(fields, out);
  return out;
}

}  // namespace vt
