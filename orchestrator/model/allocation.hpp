#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/plan.hpp"

namespace vt {

/// One reachable host of an allocation.
struct Host {
  std::string name;  ///< unique within the layer, e.g. "cube-01.lan" or "host0"
  int rank = 0;
  HostSpec access;       ///< address empty: this machine
  std::string resource;  ///< ledger name of what carries it; empty if nothing was created
};

/// What a provider hands over: 1..n hosts with ranks.
struct Allocation {
  std::vector<Host> hosts;
  std::string resource;  ///< ledger name of what carries it; empty if nothing was created
};

}  // namespace vt
