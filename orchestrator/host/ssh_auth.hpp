#pragma once
#include "orchestrator/model/plan.hpp"
#include "orchestrator/model/result.hpp"

namespace vt {

class SshConnection;

/// Public key authentication with the identity file, then with ssh-agent where the plan opted in; nothing else. A key
/// file others can read is refused. Errors begin with "auth: ".
Status authenticate(SshConnection&, const HostSpec&, Deadline);

}  // namespace vt
