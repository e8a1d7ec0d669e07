#include "orchestrator/plan/expectation_reader.hpp"

#include <algorithm>

#include "orchestrator/plan/fields.hpp"

namespace vt {

namespace {

using Op = Expectation::Op;
using yaml::Node;

constexpr std::size_t kLongestRegex = 1000;  ///< std::regex recurses while it compiles

std::vector<std::string> keys() {
  auto all = expectation_names();
  all.emplace_back("any-of");
  return all;
}

bool any_open(const Node& node) {
  return node.open || std::any_of(node.items.begin(), node.items.end(), [](auto& item) { return item.open; });
}

/// The arguments of `op`, as many as it takes.
std::optional<std::vector<std::string>> arguments(Op op, const Node& node, Problems& problems) {
  std::string key(name(op));
  if (op == Op::any || op == Op::exists || op == Op::absent) {
    if (node.kind == Node::Kind::scalar && node.text == "true") return std::vector<std::string>{};
    complain(problems, node.where, key + " takes no value; expected '" + key + ": true'");
    return std::nullopt;
  }
  bool list = op == Op::one_of || op == Op::between;
  if ((node.kind == Node::Kind::list) != list || node.kind == Node::Kind::nothing) {
    std::string form = op == Op::between ? "two values, [a, b]" : list ? "a list, [a, b]" : "one value";
    complain(problems, node.where, key + " has " + std::string(kind_name(node)) + "; expected " + form);
    return std::nullopt;
  }
  std::vector<std::string> out;
  auto before = problems.size();
  if (!list) out.push_back(scalar(node, "one value for " + key, problems));
  for (auto& item : node.items) out.push_back(scalar(item, "a value for " + key, problems));
  if (problems.size() > before) return std::nullopt;
  return out;
}

std::optional<Expectation> read_operation(const Node& map, Problems& problems) {
  auto& entry = map.entries.front();
  auto& names = expectation_names();
  auto at = std::find(names.begin(), names.end(), entry.key);
  if (at == names.end()) {
    complain(problems, entry.where, "unknown expectation " + in_quotes(entry.key) + expected_one_of(entry.key, keys()));
    return std::nullopt;
  }
  Expectation out;
  out.op = static_cast<Op>(at - names.begin());
  auto args = arguments(out.op, entry.value, problems);
  if (!args) return std::nullopt;
  out.args = std::move(*args);
  return out;
}

std::optional<Expectation> parse(const Node& node, Problems& problems) {
  if (node.kind == Node::Kind::scalar) {
    if (node.plain && node.text == "any") return Expectation{};
    return Expectation{Op::equals, {node.text}, Expectation::Over::each};
  }
  if (node.kind != Node::Kind::map || node.entries.size() != 1) {
    auto found = node.kind == Node::Kind::map ? std::to_string(node.entries.size()) + " keys" : std::string(kind_name(node));
    complain(problems, node.where, "an expectation is " + found + "; expected a value, or one key such as {at-least: 2}");
    return std::nullopt;
  }
  auto& entry = node.entries.front();
  if (entry.key != "any-of") return read_operation(node, problems);
  if (entry.value.kind != Node::Kind::map || entry.value.entries.size() != 1) {
    complain(problems, entry.value.where, "any-of has " + std::string(kind_name(entry.value)) + "; expected one key such as {at-least: 2}");
    return std::nullopt;
  }
  auto inner = read_operation(entry.value, problems);
  if (inner) inner->over = Expectation::Over::any;
  return inner;
}

/// True if a variable inside is not set, so that only the run can know the value.
bool unknown_yet(const Node& node) {
  return any_open(node) || std::any_of(node.entries.begin(), node.entries.end(), [](auto& entry) { return unknown_yet(entry.value); });
}

}  // namespace

std::optional<Expectation> read_expectation(const Node& node, ValueType type, Problems& problems) {
  auto out = parse(node, problems);
  if (!out || unknown_yet(node)) return out;
  std::string wrong;
  if (out->op == Op::matches && out->args[0].size() > kLongestRegex) wrong = "a regular expression of more than 1000 characters";
  else wrong = problem_with(*out, type);
  if (wrong.empty()) return out;
  constexpr std::string_view types[] = {"boolean", "integer", "number", "version", "text"};
  complain(problems, node.where,
           wrong + "; expected something that fits a value of type " + std::string(types[static_cast<std::size_t>(type)]));
  return std::nullopt;
}

}  // namespace vt
