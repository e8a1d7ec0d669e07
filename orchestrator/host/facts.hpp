#pragma once
#include <nlohmann/json_fwd.hpp>

#include "orchestrator/model/capability.hpp"

namespace vt {

/// The probed facts in a `facts` frame. A fact without a value, or with one that is not a scalar or a list, is unknown.
Capabilities facts_from(const nlohmann::json& frame);

}  // namespace vt
