#pragma once
#include "orchestrator/model/resource.hpp"
#include "providers/gcp/api.hpp"

namespace vt::gcp {

/// Deletes what the row says (an instance, a disk or an image) and a boot disk that an instance left behind, and waits. By numeric
/// id, which never means another thing than the one that was made, and by name, but only what shows the row's token: anything
/// else is left alone. Not there is fine.
Status tear_down(Api&, const Resource&, Deadline);

}  // namespace vt::gcp
