#pragma once
#include "orchestrator/model/result.hpp"
#include "providers/container/view.hpp"
#include "providers/ssh_keys.hpp"

namespace vt {

/// Writes what process 1 needs into root/.vt (its script, the SSH server's settings and host key, the user tables) and a
/// new client key beside it.
Status write_settings(const Pod&, const Login&, const SshServer&, const SshKey& host_key);

}  // namespace vt
