#pragma once
#include "orchestrator/planner/run_plan.hpp"

namespace vt {

/// Sets every layer's stage from the gates between these layers; a gate to a layer outside them does not count (an
/// earlier run answers it). A cycle is Errc::usage and names its layers.
Status assign_stages(std::vector<LayerPlan>&);

/// How long the layers take together: a layer starts when the last of its gates has ended. Stages must be assigned.
struct Span {
  Duration low{0}, high{0};
};
Span longest_path(const std::vector<LayerPlan>&);

}  // namespace vt
