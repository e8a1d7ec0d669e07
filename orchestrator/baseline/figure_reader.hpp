#pragma once
#include "orchestrator/baseline/baseline.hpp"
#include "orchestrator/plan/node.hpp"

namespace vt {

/// One row below `figures:`.
Figure read_figure(const yaml::Node&, Problems&);
/// One row below `rules:`.
BaselineRule read_rule(const yaml::Node&, Problems&);

}  // namespace vt
