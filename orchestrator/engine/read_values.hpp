#pragma once
#include <string>

#include "orchestrator/model/check.hpp"
#include "orchestrator/model/observation.hpp"

namespace vt {

/// Every value the check's readers find in the outputs; null where there is nothing to read. `result` is the JSON object an
/// agent check returned ("" for programs). Output that was cut is not read, except for its line count: a number read from
/// half of an output would be wrong without a word.
Values read_values(const Check&, const Observation& outputs, const std::string& result);

}  // namespace vt
