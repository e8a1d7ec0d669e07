#pragma once
#include "orchestrator/host/ssh_connection.hpp"
#include "orchestrator/host/transport.hpp"

namespace vt {

/// Starts `command` on a channel of its own. Errors begin with "exec: ".
Result<std::unique_ptr<Stream>> open_ssh_stream(std::shared_ptr<SshConnection>, std::string_view command, Deadline);

}  // namespace vt
