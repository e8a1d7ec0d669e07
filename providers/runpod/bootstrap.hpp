#pragma once
#include <string>

namespace vt::runpod {

/// What a pod runs, as the `args` of a create request: "sh -c '…'" of bootstrap.sh, since not every image has bash. It starts the lease
/// watchdog, installs an SSH server and curl through apt-get where they are missing, and runs the server with our host key for ever.
///
/// The pod needs root, a POSIX sh with coreutils, /proc/uptime, and these variables:
///   VT_EXPIRES       end of the lease, seconds since 1970
///   VT_LEASE         its length in seconds: whatever the pod's clock says, it is not longer (optional)
///   VT_API           "https://api.runpod.io/v2", without a slash at the end
///   VT_HOST_KEY      base64 of the private ed25519 host key in OpenSSH's format
///   VT_CLIENT_KEY    the one line of authorized_keys
///   VT_BOOT_GRACE    seconds until it ends itself if nobody logged in, 600 (optional)
///   VT_TICK          seconds between two looks, 15 (optional)
///   VT_SSHD, VT_SSH_PORT, VT_DIR   for stand-in hosts: the SSH server's path, its port (22), and the folder of the pod's own files
///                                  (/run/vault-test, or /tmp/vault-test where that cannot be written) (optional)
/// and from RunPod itself
///   RUNPOD_POD_ID, RUNPOD_API_KEY  which pod it is, and its own key, which may read and end that pod
///
/// Whoever logs in finds VT_DIR set. The file lease-proof there says "proved …" once the key has read the pod, "failed …" before;
/// making the file contact there is what counts as "somebody came".
std::string start_command();

}  // namespace vt::runpod
