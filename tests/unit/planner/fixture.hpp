#pragma once
#include <string>
#include <vector>

#include "orchestrator/planner/run_plan.hpp"

namespace vt {

inline Check make_check(const std::string& id, const std::string& needs = "", std::vector<std::string> after = {}) {
  Check c;
  c.id = id;
  c.needs = Requirement::parse(needs).value();
  c.after = std::move(after);
  c.typical = Duration{10'000}, c.timeout = Duration{20'000};
  return c;
}

inline Layer make_layer(const std::string& name, std::vector<std::string> suites, std::vector<std::string> after = {}) {
  Layer l;
  l.name = name;
  l.suites = std::move(suites);
  for (auto& gate : after) l.after.push_back({gate, {}});
  return l;
}

inline std::vector<std::string> ids(const std::vector<const Check*>& checks) {
  std::vector<std::string> out;
  for (auto c : checks) out.push_back(c->id);
  return out;
}

}  // namespace vt
