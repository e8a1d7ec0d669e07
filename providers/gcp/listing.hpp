#pragma once
#include <string>
#include <vector>

#include "providers/gcp/api.hpp"
#include "providers/provider.hpp"

namespace vt::gcp {

/// A thing of Compute Engine as a row: owner, provider_id, account, zone and kind ("host", "disk", "image") filled in.
Resource resource_of(const nlohmann::json& item, const std::string& project, const std::string& kind);

/// Instances, disks and images of all these projects, in every zone and state, that carry the mark of `install` (empty: of any
/// installation). Instances come before disks, so that the first of a name is the instance where there is one. An error only if
/// nothing at all could be read.
Result<Listing> list_projects(Api&, const std::vector<std::string>& projects, const std::string& install);

}  // namespace vt::gcp
