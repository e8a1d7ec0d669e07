#include "orchestrator/model/value.hpp"

#include <charconv>
#include <cstdio>

#include "orchestrator/model/text.hpp"
#include "orchestrator/model/version.hpp"

namespace vt {

namespace {

template <class T>
Value number_from(std::string_view s) {
  T out{};
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), out);
  if (error != std::errc{} || end != s.data() + s.size() || s.empty()) return {};
  return Value(out);
}

Value boolean_from(std::string_view s) {
  if (s == "true" || s == "yes" || s == "1" || s == "on") return true;
  if (s == "false" || s == "no" || s == "0" || s == "off") return false;
  return {};
}

std::string number_text(double d) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.6g", d);
  return buffer;
}

}  // namespace

bool Value::truthy() const {
  if (auto b = as<bool>()) return *b;
  if (auto i = as<std::int64_t>()) return *i != 0;
  if (auto d = as<double>()) return *d != 0;
  if (auto s = as<std::string>()) return !s->empty();
  if (auto l = as<List>()) return !l->empty();
  return false;
}

std::string Value::text() const {
  if (auto b = as<bool>()) return *b ? "yes" : "no";
  if (auto i = as<std::int64_t>()) return std::to_string(*i);
  if (auto d = as<double>()) return number_text(*d);
  if (auto s = as<std::string>()) return *s;
  if (auto l = as<List>()) {
    std::vector<std::string> parts;
    for (auto& item : *l) parts.push_back(item.is_null() ? "-" : item.text());
    return parts.empty() ? "none" : join(parts, ", ");
  }
  return "nothing";
}

Value read_as(ValueType type, std::string_view text) {
  text = trim(text);
  switch (type) {
    case ValueType::boolean: return boolean_from(text);
    case ValueType::integer: return number_from<std::int64_t>(text);
    case ValueType::number: return number_from<double>(text);
    case ValueType::version: return Version::parse(text) ? Value(std::string(text)) : Value();
    case ValueType::text: return Value(std::string(text));
  }
  return {};
}

}  // namespace vt
