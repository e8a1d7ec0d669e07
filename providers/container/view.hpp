#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/result.hpp"
#include "providers/container/pod.hpp"

namespace vt {

/// One thing mounted in a pod, besides /proc and /dev.
struct Mount {
  enum class Kind { bind, tmpfs } kind = Kind::bind;
  std::string source, target;  ///< of a bind: a path of the machine; read-only in the pod
  std::string mode;            ///< of a tmpfs: octal; writable in the pod
};

/// Where things are in the pod.
struct SshServer {
  std::string machine_path;  ///< on the machine
  std::string machine_libs;  ///< folder of libraries it needs; empty: none of its own
  std::string pod_path;      ///< in the pod
  std::string pod_libs;
};
/// $VAULT_TEST_SSHD (its libraries in $VAULT_TEST_SSHD_LIB), or sshd in PATH or a system folder; Errc::not_found if there is none.
Result<SshServer> find_ssh_server();

/// What the pod's /etc is: the machine's with the pod's own user tables, read-only, or what the caller puts into root()/etc.
enum class Settings { of_machine, own };

/// Makes the folders and links of the pod's "/" and returns what is to be mounted over them, in order: of the machine only
/// its programs and settings, never homes, keys, data or other mounts.
Result<std::vector<Mount>> make_view(const Pod&, const Login&, const SshServer&, Settings = Settings::of_machine);

/// Mount points strictly below a folder, outermost first.
std::vector<std::string> mounts_below(const std::string& folder);

}  // namespace vt
