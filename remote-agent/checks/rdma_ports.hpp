#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "orchestrator/model/result.hpp"

namespace vt::checks {

/// The ports of InfiniBand, RoCE and EFA adapters as the kernel shows them below `sys` ("/sys"), and what their error counters gain in
/// `seconds`; `hours`: for how long the counters have counted. Lists of texts, empty where all is well:
///   ports     all of them: "mlx5_0/1: ACTIVE, LinkUp, 400 Gb/sec (4X NDR), MT4129 InfiniBand"; active: how many carry data
///   stuck     linked, but not active: nobody manages the subnet, or the link recovers from errors
///   down      without a link, and not switched off
///   slower    active, but slower than another port of the same model and kind
///   flapping  whose link was lost five times a day or more
///   errors    whose error counters grew
Result<nlohmann::json> rdma_ports(const std::string& sys, double seconds, double hours);

}  // namespace vt::checks
