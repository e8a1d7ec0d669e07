#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vt {

/// What a probe or check yields: nothing, a scalar, or a list of values (one per GPU, say).
struct Value {
  using List = std::vector<Value>;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List> v;

  Value() = default;
  Value(bool b) : v(b) {}
  Value(int i) : v(std::int64_t{i}) {}
  Value(std::int64_t i) : v(i) {}
  Value(double d) : v(d) {}
  Value(std::string s) : v(std::move(s)) {}
  Value(const char* s) : v(std::string(s)) {}
  Value(List l) : v(std::move(l)) {}

  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&v);
  }
  [[nodiscard]] bool is_null() const { return v.index() == 0; }
  [[nodiscard]] bool is_list() const { return as<List>() != nullptr; }
  /// Present and not false, 0 or "": what a bare capability id asks of a fact.
  [[nodiscard]] bool truthy() const;
  /// For people: "yes"/"no" for booleans, "a, b" for lists, "nothing" for null ("-" in a list).
  [[nodiscard]] std::string text() const;
  bool operator==(const Value&) const = default;
};

using Values = std::map<std::string, Value>;

/// What the text of a value means; decides how it is compared.
enum class ValueType { boolean, integer, number, version, text };

/// Reads `text` as `type` ("yes"/"true"/"1" -> true, "0x1f" is not an integer); null if it is not one.
Value read_as(ValueType type, std::string_view text);

}  // namespace vt
