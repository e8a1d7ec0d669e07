#pragma once
#include "orchestrator/model/plan.hpp"
#include "orchestrator/model/result.hpp"

struct ssh_session_struct;

namespace vt {

/// Refuses addresses and user names that could mean something to a shell or a config file. Errors begin with "name: ",
/// or with "host key: " if neither a fingerprint nor a known_hosts file is given.
Status validate_access(const HostSpec&);

/// Sets every option that matters, so that neither ~/.ssh/config nor a default of the library decides. `socket` stays
/// the caller's.
Status set_ssh_options(ssh_session_struct*, const HostSpec&, int socket, Duration timeout);

/// The user to log in as: the plan's, else the one running this program.
std::string login_name(const HostSpec&);
/// "vault@cube-01.lan:22"
std::string endpoint_text(const HostSpec&);

}  // namespace vt
