#pragma once
#include <vector>

#include "providers/runpod/api.hpp"
#include "providers/runpod/wish.hpp"

namespace vt::runpod {

/// Key, clock, and whether the catalogue has what is wished for at a price. RunPod's API does not tell the balance.
std::vector<Finding> preflight(Api&, const Wish&, const Clock&);

}  // namespace vt::runpod
