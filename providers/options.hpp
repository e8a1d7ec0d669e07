#pragma once
#include <string>

#include "orchestrator/model/plan.hpp"

namespace vt {

/// First value of an option of the layer, or `otherwise`.
inline std::string option(const Layer& layer, const std::string& key, const std::string& otherwise = "") {
  auto it = layer.options.find(key);
  return it == layer.options.end() || it->second.empty() ? otherwise : it->second.front();
}

/// The option as a whole number of at least 1; nullopt if it is absent or is none.
inline std::optional<int> count_option(const Layer& layer, const std::string& key) {
  auto value = read_as(ValueType::integer, option(layer, key));
  auto number = value.as<std::int64_t>();
  if (!number || *number < 1 || *number > 100'000) return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace vt
