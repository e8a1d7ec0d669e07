#include "orchestrator/model/resource.hpp"

#include <array>

namespace vt {

std::string_view name(ResourceState s) {
  constexpr std::array<std::string_view, 9> names{"planned", "creating", "created", "ambiguous",      "refused",
                                                  "ready",   "deleting", "gone",    "presumed_absent"};
  return names.at(static_cast<std::size_t>(s));
}

}  // namespace vt
