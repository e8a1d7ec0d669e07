#pragma once
#include <vector>

#include "orchestrator/model/resource.hpp"
#include "orchestrator/report/run_view.hpp"

namespace vt {

/// What the ledger knows of a run beats what its events knew: what is still open, what was created, what it has cost until `now`.
void apply_ledger(RunView&, const std::vector<Resource>& rows_of_the_run, EpochMs now);

}  // namespace vt
