#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/value.hpp"

namespace vt {

/// Every capability there is, as documented in docs/capabilities.md, and the type of its value; `tool.NAME` stands for itself.
struct KnownCapability {
  std::string_view id;
  ValueType type;
};
const std::vector<KnownCapability>& known_capabilities();
/// The type of a capability's value; nullopt if there is no such capability.
std::optional<ValueType> capability_type(std::string_view id);

}  // namespace vt
