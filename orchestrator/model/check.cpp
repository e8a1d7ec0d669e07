#include "orchestrator/model/check.hpp"

#include <algorithm>
#include <array>

namespace vt {

const Check* Catalogue::check(const std::string& id) const {
  auto at = std::find_if(checks.begin(), checks.end(), [&](auto& c) { return c.id == id; });
  return at == checks.end() ? nullptr : &*at;
}

const Suite* Catalogue::suite(const std::string& id) const {
  auto at = std::find_if(suites.begin(), suites.end(), [&](auto& s) { return s.id == id; });
  return at == suites.end() ? nullptr : &*at;
}

std::string_view name(Scope s) {
  constexpr std::array<std::string_view, 7> names{"orchestrator", "image", "layer", "host", "gpu", "pair", "group"};
  return names.at(static_cast<std::size_t>(s));
}

}  // namespace vt
