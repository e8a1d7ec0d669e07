#pragma once
#include <string>
#include <vector>

#include "providers/gcp/api.hpp"
#include "providers/gcp/wish.hpp"
#include "providers/provider.hpp"

namespace vt::gcp {

/// Everything that can be known before money is spent, in a few reads. What rules out one zone or market only warns while another
/// remains; what leaves none stops.
std::vector<Finding> preflight(Api&, const Wish&, const std::string& project, const std::string& prices);

}  // namespace vt::gcp
