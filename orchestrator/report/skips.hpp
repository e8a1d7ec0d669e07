#pragma once
#include <map>
#include <string>
#include <vector>

#include "orchestrator/report/run_view.hpp"

namespace vt {

/// Checks that the same hosts could not carry for the same reason.
struct SkipGroup {
  std::string capability;          ///< empty: skipped for `evidence` alone, e.g. by the operator
  std::string evidence;
  std::vector<std::string> where;  ///< column labels
  std::map<std::string, std::vector<std::string>> covered;  ///< "laptop, cube" -> checks those layers proved
  std::vector<std::string> unproven;                        ///< gating and advisory checks nobody proved
  std::vector<std::string> unmeasured;                      ///< informative ones: nothing to prove
};

/// Grouped by capability, so that a host without a GPU gives one paragraph and not forty lines.
std::vector<SkipGroup> skip_groups(const RunView&);

}  // namespace vt
