#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/value.hpp"

namespace vt {

/// What a value must be. Arguments keep the text the author wrote; how it compares follows from the value's type,
/// so that `at-least: 6.13` on a version means 6.13 > 6.8.
struct Expectation {
  enum class Op { any, equals, at_least, at_most, between, below, version, matches, one_of, contains, exists, absent };
  /// How it applies to a list (one value per GPU, say).
  enum class Over { each, any };
  Op op = Op::any;
  std::vector<std::string> args;  ///< one, two for between, any number for one_of, none for any/exists/absent
  Over over = Over::each;
  /// "at-least 6.13", "one of bfq, none", "any of: at-least 2"
  [[nodiscard]] std::string text() const;
  bool operator==(const Expectation&) const = default;
};

struct Holding {
  enum class State { held, missed, unreadable } state = State::held;
  std::string why;  ///< empty if held: "6.8.0 is below 6.13", "no value"
};

/// Judges one value. A null value misses everything but `absent` (and is unreadable for all but exists/absent/any);
/// an empty list is unreadable except for exists/absent: nothing was measured, so nothing is proven.
Holding judge(const Value& measured, ValueType type, const Expectation& expected);

/// nullopt-like: "" if `e` makes sense for `type`, else what is wrong ("at-least needs a number, got 'many'").
std::string problem_with(const Expectation& e, ValueType type);

std::string_view name(Expectation::Op);  ///< the key as written in YAML: "at-least", "one-of", …
const std::vector<std::string>& expectation_names();

}  // namespace vt
