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
/// A value of `args`: quoted is text, otherwise what it reads as; or a list of such.
Value read_argument(const yaml::Node&, Problems&);
/// `levels`, `burn` and `cpu`: what changes an agent check's arguments. Runs after `run` was read.
void read_tuning(const yaml::Fields&, Check&);
/// `values` of a check that runs as `how`.
std::vector<ValueSpec> read_values(const yaml::Node&, const How& how, Problems&);

}  // namespace vt
