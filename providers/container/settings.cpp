#include "providers/container/settings.hpp"

#include <fstream>

#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

/// Arguments: the mark, and the end of the lease in seconds since boot. /proc/uptime counts sleep and cannot be set.
constexpr const char* kEntry =
    R"(# Process 1 of a pod: runs the SSH server and ends, with it every process of the pod, when the lease is over.
umask 022
mkdir -p /run/sshd /run/host /run/lock
echo oci >/run/host/container-manager
: >/run/.containerenv
@LIBS@@SSHD@ -D -e -f /.vt/sshd_config &
server=$!
while read -r up idle </proc/uptime && [ "${up%.*}" -lt "$2" ]; do
  kill -0 "$server" 2>/dev/null || { echo "the SSH server ended"; exit 1; }
  sleep 1
done
echo "the lease is over"
)";

std::string entry_script(const SshServer& server) {
  std::string script = kEntry;
  auto put = [&](const std::string& slot, const std::string& text) { script.replace(script.find(slot), slot.size(), text); };
  put("@LIBS@", server.pod_libs.empty() ? "" : "LD_LIBRARY_PATH=" + shell_quote(server.pod_libs) + " ");
  put("@SSHD@", shell_quote(server.pod_path));
  return script;
}

std::string server_settings(const Pod& pod, const Login& login) {
  return "ListenAddress 127.0.0.1\nPort " + std::to_string(pod.access.port) + "\nAllowUsers " + login.name +
         "\nHostKey /.vt/host_key\nAuthorizedKeysFile /.vt/authorized_keys\nStrictModes no\nPidFile none\nUsePAM no\nUseDNS no\n"
         "PermitRootLogin prohibit-password\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nMaxStartups 100:30:200\n"
         "MaxSessions 100\nPrintMotd no\nPrintLastLog no\n";
}

/// The machine's users, with the login first (its home and shell are the pod's) and the server's own user, which an
/// SSH server that was never installed lacks.
std::string user_table(const Login& login) {
  std::string table = login.name + ":x:" + std::to_string(login.uid) + ":" + std::to_string(login.gid) + "::" + login.home + ":/bin/sh\n";
  bool has_server_user = false;
  std::ifstream machine("/etc/passwd");
  for (std::string line; std::getline(machine, line);) {
    if (line.starts_with(login.name + ":")) continue;
    has_server_user = has_server_user || line.starts_with("sshd:");
    table += line + "\n";
  }
  if (!has_server_user) table += "sshd:x:74:65534::/run/sshd:/usr/sbin/nologin\n";
  return table;
}

Status write_key(const std::string& path, const SshKey& key) {
  VT_FAILPOINT("key.write");
  return write_new_file(path, key.private_text, 0600);
}

}  // namespace

Status write_settings(const Pod& pod, const Login& login, const SshServer& server, const SshKey& host_key) {
  std::string inside = pod.root() + "/.vt/";
  VT_TRY(SshKey client_key, new_ssh_key(pod.owner.name));
  VT_CHECK(write_key(pod.access.identity, client_key));
  VT_CHECK(write_key(inside + "host_key", host_key));
  VT_CHECK(write_new_file(inside + "authorized_keys", client_key.public_line + "\n", 0600));
  VT_CHECK(write_new_file(inside + "sshd_config", server_settings(pod, login), 0600));
  VT_CHECK(write_new_file(inside + "vt-pod", entry_script(server), 0600));
  VT_CHECK(write_new_file(inside + "passwd", user_table(login), 0644));
  // A password nobody has; "!" would lock the account for the SSH server too.
  VT_CHECK(write_new_file(inside + "shadow", login.name + ":*:19000:0:99999:7:::\n", 0600));
  VT_CHECK(write_new_file(inside + "hosts", "127.0.0.1 localhost\n::1 localhost\n127.0.1.1 " + pod.owner.name + "\n", 0644));
  return write_new_file(inside + "hostname", pod.owner.name + "\n", 0644);
}

}  // namespace vt
