#pragma once
#include <string>
#include <vector>

#include "orchestrator/cost/cost_report.hpp"
#include "orchestrator/report/layout.hpp"

namespace vt {

/// What a page of `vault-test cost` is about.
struct CostPage {
  std::string since;  ///< "30d"
  CostBy by = CostBy::plan;
  bool rehearsal = false;
};

std::string cost_text(const CostPage&, const CostReport&, const TextStyle&);
std::string cost_json(const CostPage&, const CostReport&);
/// What was recorded beside what the providers say they billed.
std::string reconciled_text(const CostPage&, const std::vector<Billed>&, const TextStyle&);
std::string reconciled_json(const CostPage&, const std::vector<Billed>&);

}  // namespace vt
