#pragma once
#include <map>
#include <string>

#include "orchestrator/model/resource.hpp"
#include "providers/gcp/wish.hpp"

namespace vt::gcp {

/// The marks that every thing of ours carries from the very create call on: vt-install, vt-attempt, vt-run, vt-expires (seconds
/// since 1970) and vt-token.
std::map<std::string, std::string> labels_of(const Resource&);
/// Who a thing belongs to, by its labels; what cannot be read stays empty.
Ownership owner_of(const std::string& name, const std::map<std::string, std::string>& labels);

/// The create request as JSON text. `ssh_key` is a public line; `left` is what remains of the lease, after which Compute Engine
/// deletes the instance by itself.
std::string instance_body(const Wish&, const Resource&, const std::string& ssh_key, std::chrono::seconds left);

}  // namespace vt::gcp
