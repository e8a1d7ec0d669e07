#pragma once
#include <string>

#include "providers/gcp/api.hpp"
#include "providers/gcp/wish.hpp"
#include "providers/provider.hpp"

namespace vt::gcp {

/// The one create request of a row, and what its answer means. Nothing is ever sent twice: a reply that does not say clearly
/// whether there is an instance now is Ambiguous.
CreateOutcome create_instance(Api&, const Wish&, const Resource&, const std::string& ssh_key);

}  // namespace vt::gcp
