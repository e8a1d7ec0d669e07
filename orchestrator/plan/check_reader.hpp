#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/check.hpp"
#include "orchestrator/plan/fields.hpp"

namespace vt {

/// One row below `checks:` in a catalogue file.
Check read_check(const yaml::Node&, Problems&);
/// What stands behind `run`.
How read_run(const yaml::Node&, Problems&);
/// `values` of a check that runs as `how`.
std::vector<ValueSpec> read_values(const yaml::Node&, const How& how, Problems&);

}  // namespace vt
