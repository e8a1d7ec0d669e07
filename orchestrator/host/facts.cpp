#include "orchestrator/host/facts.hpp"

#include <nlohmann/json.hpp>

#include "orchestrator/host/agent_channel.hpp"

namespace vt {

using nlohmann::json;

namespace {

std::optional<Value> value_of(const json& value) {
  if (value.is_boolean()) return Value(value.get<bool>());
  if (value.is_number_integer()) return Value(value.get<std::int64_t>());
  if (value.is_number()) return Value(value.get<double>());
  if (value.is_string()) return Value(value.get<std::string>());
  if (!value.is_array()) return std::nullopt;
  Value::List list;
  for (auto& item : value)
    if (auto read = value_of(item)) list.push_back(*std::move(read));
  return Value(std::move(list));
}

}  // namespace

Capabilities facts_from(const json& frame) {
  Capabilities out;
  auto facts = frame.find("facts");
  if (facts == frame.end() || !facts->is_array()) return out;
  for (auto& fact : *facts) {
    auto id = text_field(fact, "id");
    if (id.empty()) continue;
    auto value = fact.find("value");
    auto scope = text_field(fact, "scope") == "login" ? FactScope::login : FactScope::host;
    out.set({id, value == fact.end() ? std::nullopt : value_of(*value), text_field(fact, "evidence"), FactOrigin::probed, scope});
  }
  return out;
}

}  // namespace vt
