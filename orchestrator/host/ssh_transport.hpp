#pragma once
#include "orchestrator/host/transport.hpp"

namespace vt {

/// SSH to host.access. See connect() for the errors.
Result<std::unique_ptr<Transport>> connect_ssh(const HostSpec&, Deadline);

}  // namespace vt
