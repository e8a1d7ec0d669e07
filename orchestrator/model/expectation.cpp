#include "orchestrator/model/expectation.hpp"

#include <array>
#include <compare>
#include <optional>
#include <regex>

#include "orchestrator/model/text.hpp"
#include "orchestrator/model/version.hpp"

namespace vt {

namespace {

using Op = Expectation::Op;
using State = Holding::State;

constexpr std::array<std::string_view, 12> kNames{"any",     "equals",  "at-least", "at-most",  "between", "below",
                                                  "version", "matches", "one-of",   "contains", "exists",  "absent"};

/// std::regex recurses per character of text a host sent; longer text matches nothing.
constexpr std::size_t kLongestText = 4096;

bool is_ordered(Op op) { return op == Op::at_least || op == Op::at_most || op == Op::between || op == Op::below; }

std::optional<double> as_number(const Value& v) {
  if (auto i = v.as<std::int64_t>()) return static_cast<double>(*i);
  if (auto d = v.as<double>()) return *d;
  if (auto s = v.as<std::string>()) {
    auto read = read_as(ValueType::number, *s);
    if (auto d = read.as<double>()) return *d;
  }
  return std::nullopt;
}

/// measured <=> argument under the value's type; unordered if either side cannot be read as that type.
std::partial_ordering compare(const Value& measured, ValueType type, const std::string& arg) {
  if (type == ValueType::version) {
    auto have = Version::parse(measured.text()), want = Version::parse(arg);
    if (!have || !want) return std::partial_ordering::unordered;
    return *have <=> *want;
  }
  auto have = as_number(measured), want = as_number(Value(arg));
  if (!have || !want) return std::partial_ordering::unordered;
  return *have <=> *want;
}

bool equal(const Value& measured, ValueType type, const std::string& arg) {
  if (type == ValueType::text) return measured.text() == arg;
  if (type == ValueType::boolean) return read_as(type, measured.text()) == read_as(type, arg);
  return compare(measured, type, arg) == 0;
}

bool holds(const Value& measured, ValueType type, const Expectation& e) {
  auto against = [&](std::size_t i) { return compare(measured, type, e.args.at(i)); };
  switch (e.op) {
    case Op::any:
    case Op::exists: return true;
    case Op::absent: return false;
    case Op::equals: return equal(measured, type, e.args.at(0));
    case Op::at_least: return against(0) >= 0;
    case Op::at_most: return against(0) <= 0;
    case Op::below: return against(0) < 0;
    case Op::between: return against(0) >= 0 && against(1) <= 0;
    case Op::version: {
      auto have = Version::parse(measured.text()), want = Version::parse(e.args.at(0));
      return have && want && want->is_prefix_of(*have);
    }
    case Op::matches: return measured.text().size() <= kLongestText && std::regex_search(measured.text(), std::regex(e.args.at(0)));
    case Op::contains: return measured.text().find(e.args.at(0)) != std::string::npos;
    case Op::one_of:
      for (auto& arg : e.args)
        if (equal(measured, type, arg)) return true;
      return false;
  }
  return false;
}

Holding judge_scalar(const Value& measured, ValueType type, const Expectation& e) {
  if (is_ordered(e.op) && compare(measured, type, e.args.at(0)) == std::partial_ordering::unordered)
    return {State::unreadable, "'" + measured.text() + "' is not a " + (type == ValueType::version ? "version" : "number")};
  if (e.op == Op::version && !Version::parse(measured.text())) return {State::unreadable, "'" + measured.text() + "' is not a version"};
  if (holds(measured, type, e)) return {};
  return {State::missed, "measured " + measured.text() + ", required " + e.text()};
}

Holding judge_any(const Value::List& list, ValueType type, const Expectation& e) {
  Holding last;
  for (auto& item : list) {
    last = judge(item, type, e);
    if (last.state == State::held) return last;
  }
  return {last.state, "none of " + std::to_string(list.size()) + ": " + last.why};
}

/// A definite miss outranks an element that could not be read; the first of the misses is told, and how many more there are.
Holding judge_each(const Value::List& list, ValueType type, const Expectation& e) {
  std::optional<Holding> missed, unreadable;
  std::size_t more = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto next = judge(list[i], type, e);
    if (next.state == State::held) continue;
    auto& first = next.state == State::missed ? missed : unreadable;
    if (first) more += next.state == State::missed ? 1 : 0;
    else first = Holding{next.state, "#" + std::to_string(i) + ": " + next.why};
  }
  if (missed && more > 0) missed->why += ", and " + std::to_string(more) + " more";
  return missed ? *missed : unreadable ? *unreadable : Holding{};
}

/// Lists: `contains` looks for an element; everything else is judged element by element.
Holding judge_list(const Value::List& list, ValueType type, const Expectation& e) {
  if (e.op == Op::contains) {
    for (auto& item : list)
      if (equal(item, ValueType::text, e.args.at(0))) return {};
    return {State::missed, "measured " + Value(list).text() + ", required " + e.text()};
  }
  return e.over == Expectation::Over::any ? judge_any(list, type, e) : judge_each(list, type, e);
}

}  // namespace

std::string Expectation::text() const {
  std::string prefix = over == Over::any ? "any of them " : "";
  switch (op) {
    case Op::any: return "anything";
    case Op::equals: return prefix + args.at(0);
    case Op::exists: return "a value";
    case Op::absent: return "nothing there";
    case Op::between: return prefix + "between " + args.at(0) + " and " + args.at(1);
    case Op::one_of: return prefix + "one of " + join(args, ", ");
    default: return prefix + std::string(name(op)) + " " + args.at(0);
  }
}

Holding judge(const Value& measured, ValueType type, const Expectation& e) {
  auto list = measured.as<Value::List>();
  bool nothing = measured.is_null() || (list && list->empty());
  if (e.op == Op::absent) {
    if (nothing || !measured.truthy()) return {};
    return {State::missed, "found " + measured.text() + ", required nothing there"};
  }
  if (nothing && e.op == Op::exists) return {State::missed, "nothing found, required a value"};
  if (nothing) return {State::unreadable, "no value"};
  return list ? judge_list(*list, type, e) : judge_scalar(measured, type, e);
}

std::string problem_with(const Expectation& e, ValueType type) {
  std::size_t want = e.op == Op::between ? 2 : (e.op == Op::any || e.op == Op::exists || e.op == Op::absent) ? 0 : 1;
  std::string key(name(e.op));
  if (e.op == Op::one_of ? e.args.empty() : e.args.size() != want)
    return key + " needs " + (e.op == Op::one_of ? "at least one value" : std::to_string(want) + " value(s)");
  if (is_ordered(e.op) && (type == ValueType::text || type == ValueType::boolean))
    return key + " needs a value that is a number or version";
  if (e.op == Op::matches) try {
      std::regex test(e.args[0]);
    } catch (const std::regex_error&) { return "'" + e.args[0] + "' is not a regular expression"; }
  if (e.op == Op::version && !Version::parse(e.args[0])) return "'" + e.args[0] + "' is not a version";
  if (is_ordered(e.op) || e.op == Op::equals || e.op == Op::one_of)
    for (auto& arg : e.args)
      if (read_as(type == ValueType::integer ? ValueType::number : type, arg).is_null())
        return "'" + arg + "' cannot be compared with the value";
  return {};
}

std::string_view name(Op op) { return kNames.at(static_cast<std::size_t>(op)); }

const std::vector<std::string>& expectation_names() {
  static const std::vector<std::string> all(kNames.begin(), kNames.end());
  return all;
}

}  // namespace vt
