#pragma once
#include <string>
#include <vector>

#include "orchestrator/report/run_view.hpp"

namespace vt {

/// Skipped checks with the same fate.
struct SkipList {
  enum class Fate { covered, unproven, unmeasured } fate = Fate::unproven;  ///< unmeasured: informative, nothing to prove
  std::vector<std::string> covered_by;                                      ///< layers
  std::vector<std::string> where;                                           ///< column labels; empty: all of the group's
  std::vector<std::string> checks;
  [[nodiscard]] std::string heading() const;  ///< "covered by laptop", "UNPROVEN (skipped on pod)"
};

/// Checks that hosts could not carry for the same reason.
struct SkipGroup {
  std::string capability;  ///< empty: skipped for `evidence` alone, e.g. by the operator
  std::string evidence;
  std::vector<std::string> where;  ///< column labels
  std::vector<SkipList> lists;     ///< covered, then unproven, then unmeasured
};

/// Grouped by capability and evidence, so that a host without a GPU gives one paragraph and not forty lines.
std::vector<SkipGroup> skip_groups(const RunView&);

}  // namespace vt
