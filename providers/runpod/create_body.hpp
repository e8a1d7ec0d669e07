#pragma once
#include <string>

#include "orchestrator/model/resource.hpp"
#include "providers/cloud.hpp"
#include "providers/runpod/pod_keys.hpp"
#include "providers/runpod/wish.hpp"

namespace vt::runpod {

/// The body of POST /v2/pods. GPU, cloud and data centre are the resource's, the rest is the layer's. What proves whose pod it is
/// travels inside, so that no crash can come between the two. Holds the host's private key: not for a log or the ledger.
std::string create_body(const Wish&, const Resource&, const PodKeys&, const CloudAccess&, EpochMs now);

}  // namespace vt::runpod
