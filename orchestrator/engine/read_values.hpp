#pragma once
#include <string>

#include "orchestrator/model/check.hpp"
#include "orchestrator/model/observation.hpp"

namespace vt {

/// Every value the check's readers find in the outputs; null where nothing is there. What cannot be read is left out, so that
/// not even `absent` can hold on it: output that was cut (except for its line count), a line too long for the matcher, JSON
/// that is none, a CSV without the column. `result` is the JSON object an agent check returned ("" for programs).
Values read_values(const Check&, const Observation& outputs, const std::string& result);

}  // namespace vt
