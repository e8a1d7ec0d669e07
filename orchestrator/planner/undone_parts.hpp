#pragma once
#include <vector>

#include "orchestrator/model/check.hpp"
#include "orchestrator/model/plan.hpp"

namespace vt {

/// Parts of a layer that a plan may ask for and that no runner exists for yet (image builds, playbooks), as checks of their own,
/// so that they show as blocked instead of being passed over in silence.
std::vector<const Check*> undone_parts(const Layer&);

}  // namespace vt
