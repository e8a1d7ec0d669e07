#pragma once
#include <optional>
#include <string>

#include "orchestrator/model/resource.hpp"
#include "providers/gcp/api.hpp"

namespace vt::gcp {

/// The fingerprint of the instance's ed25519 host key, as its guest agent has published it: read through the cloud's API, so that
/// the very first login is pinned. Nothing: not published yet. Errc::host_key if what is there is no key.
Result<std::optional<std::string>> host_key(Api&, const Resource&);

}  // namespace vt::gcp
