#pragma once
#include "orchestrator/model/plan.hpp"
#include "orchestrator/model/result.hpp"

struct ssh_session_struct;

namespace vt {

/// Compares the key the server proved to have with the pinned fingerprint, or with the known_hosts file. A key that is
/// not known is refused, never learned. Errors (Errc::host_key) begin with "host key: ".
Status check_host_key(ssh_session_struct*, const HostSpec&);

}  // namespace vt
