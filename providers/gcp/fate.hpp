#pragma once
#include <string>

#include "orchestrator/model/resource.hpp"
#include "providers/gcp/api.hpp"

namespace vt::gcp {

/// "preempted by Compute Engine at …" or what else ended the instance, from the zone's operations; empty if they do not say.
Result<std::string> ending_of(Api&, const Resource&);
/// Empty while the instance is there as it should be, else why it is gone.
Result<std::string> fate_of(Api&, const Resource&);
/// Whether a status is one that leads nowhere but away. An unknown status is none.
bool is_ending(const std::string& status);

}  // namespace vt::gcp
