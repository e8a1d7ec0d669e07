#pragma once
#include <string>

#include "orchestrator/planner/run_plan.hpp"

namespace vt {

/// Selectors as JSON, as stored with a run; "{}" = the whole plan at its own levels.
std::string selection_text(const Selection&);
Selection selection_from(const std::string& text);

}  // namespace vt
