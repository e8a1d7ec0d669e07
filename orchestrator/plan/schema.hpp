#pragma once
#include <string>
#include <vector>

namespace vt {

/// What the plan reader must know of the providers, without depending on them: filled in from the registry by the caller.
struct ProviderSchema {
  std::string name;
  std::vector<std::string> options;  ///< dotted keys; "x!" = required
};

}  // namespace vt
