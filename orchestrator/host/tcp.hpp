#pragma once
#include <string>

#include "orchestrator/host/fd.hpp"
#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/result.hpp"

namespace vt {

/// Connects to the first address of the name that answers; the others share the time that is left. The socket does not
/// block and notices a dead network within 30 s. Errors begin with "name: " or "TCP: ".
Result<Fd> connect_tcp(const std::string& name, int port, Deadline);

/// Waits for the server's SSH greeting without taking it off the socket. Errors begin with "banner: ".
Status expect_ssh_banner(int socket, Deadline);

}  // namespace vt
