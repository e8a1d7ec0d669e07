#pragma once
#include <string>

#include "orchestrator/model/check.hpp"
#include "orchestrator/report/layout.hpp"
#include "orchestrator/report/run_view.hpp"

namespace vt {

/// Everything about one check in one run: what it is for, what ran, what was measured on each host under which rule, what
/// happened in earlier runs, what to do. `check` is its row of the catalogue stored with the run, nullptr if unknown.
/// Errc::not_found (with the nearest id) if the run neither planned nor judged it.
Result<std::string> why_text(const Store&, const RunView&, const std::string& id, const Check* check, const TextStyle&);

}  // namespace vt
