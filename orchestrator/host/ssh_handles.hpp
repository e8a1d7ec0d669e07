#pragma once
#include <libssh/libssh.h>

#include <memory>

#include "orchestrator/model/free_with.hpp"

namespace vt {

/// libssh's own objects. Included by the ssh_*.cpp files only.
using SshSessionHandle = std::unique_ptr<ssh_session_struct, FreeWith<ssh_free>>;
using SshKeyHandle = std::unique_ptr<ssh_key_struct, FreeWith<ssh_key_free>>;

}  // namespace vt
