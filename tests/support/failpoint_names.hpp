#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/failpoint.hpp"

namespace vt::test {

/// Failpoints that only a run with hosts in a cloud reaches: scenario/promises has them, scenario/crash all others.
inline bool is_of_clouds(std::string_view failpoint) {
  return failpoint.starts_with("gcp.") || failpoint.starts_with("runpod.") || failpoint.starts_with("http.");
}

inline std::vector<std::string> local_failpoints() {
  std::vector<std::string> out;
  for (auto name : kFailpoints)
    if (!is_of_clouds(name)) out.emplace_back(name);
  return out;
}

}  // namespace vt::test
