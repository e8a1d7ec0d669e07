#include "orchestrator/host/ssh_auth.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstdlib>
#include <optional>

#include "orchestrator/host/ssh_connection.hpp"
#include "orchestrator/host/ssh_handles.hpp"
#include "orchestrator/host/ssh_options.hpp"
#include "orchestrator/host/watchdog.hpp"

namespace vt {

namespace {

constexpr off_t kMostKey = 64 * 1024;

/// The text of a private key, wiped when it is no longer needed.
struct KeyText {
  std::string text;
  KeyText() = default;
  KeyText(KeyText&& other) noexcept : text(std::move(other.text)) {}
  ~KeyText() { explicit_bzero(text.data(), text.size()); }
};

Result<KeyText> read_key_file(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  struct stat info {};
  if (!file || fstat(file.get(), &info) != 0) return fail(Errc::auth, "auth: cannot read the key file " + path + ": " + strerror(errno));
  if (!S_ISREG(info.st_mode) || info.st_size > kMostKey) return fail(Errc::auth, "auth: " + path + " is not a private key file");
  if (info.st_mode & 077) return fail(Errc::auth, "auth: the key file " + path + " is accessible to others; chmod 600 " + path);
  KeyText key;
  key.text.resize(static_cast<std::size_t>(info.st_size));
  auto n = ::read(file.get(), key.text.data(), key.text.size());
  if (n != info.st_size) return fail(Errc::auth, "auth: cannot read the key file " + path);
  return key;
}

/// libssh asks for a passphrase: there is nobody to ask, but the fact is worth telling.
int note_question(const char*, char*, std::size_t, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

Result<SshKeyHandle> load_key(const std::string& path) {
  VT_TRY(KeyText key, read_key_file(path));
  ssh_key raw = nullptr;
  bool asked = false;
  int rc = ssh_pki_import_privkey_base64(key.text.c_str(), nullptr, note_question, &asked, &raw);
  if (rc == SSH_OK) return SshKeyHandle(raw);
  if (asked)
    return fail(Errc::auth,
                "auth: the key file " + path + " is encrypted; load it into ssh-agent and say `agent: true`, or use a key of its own");
  return fail(Errc::auth, "auth: " + path + " is not a private key libssh can read");
}

int again_if_pending(int rc) { return rc == SSH_AUTH_AGAIN ? SSH_AGAIN : rc; }

Status outcome(SshConnection& connection, const HostSpec& host, int rc, const std::string& with) {
  if (rc == SSH_AUTH_SUCCESS) return {};
  std::string who = login_name(host) + " on " + host.address;
  if (rc == SSH_AUTH_PARTIAL) return fail(Errc::auth, "auth: the server wants more than a key for " + who);
  if (rc == SSH_AUTH_DENIED || ssh_is_connected(connection.session()))
    return fail(Errc::auth, "auth: the server refused " + with + " for " + who + "; is its public key in authorized_keys there?");
  return fail(Errc::transport, "auth: the connection was lost: " + connection.last_error());
}

Status with_key_file(SshConnection& connection, const HostSpec& host, Deadline deadline) {
  VT_TRY(auto key, load_key(host.identity));
  auto step = [&] { return again_if_pending(ssh_userauth_publickey(connection.session(), nullptr, key.get())); };
  VT_TRY(int rc, connection.drive("auth: the server's answer", step, deadline));
  return outcome(connection, host, rc, "the key " + host.identity);
}

Result<Fd> connect_to_agent() {
  auto path = std::getenv("SSH_AUTH_SOCK");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (!path || !*path) return fail(Errc::auth, "auth: the plan asks for ssh-agent but SSH_AUTH_SOCK is not set");
  std::string name(path);
  if (name.size() >= sizeof address.sun_path) return fail(Errc::auth, "auth: SSH_AUTH_SOCK is too long");
  name.copy(address.sun_path, name.size());
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket || ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return fail(Errc::auth, "auth: no ssh-agent answers at " + name);
  return socket;
}

/// Talking to the agent blocks inside libssh, so its socket is guarded too. It is libssh's from here on: the
/// duplicate keeps the number from being another file's when the guard fires.
Status with_agent(SshConnection& connection, const HostSpec& host, Deadline deadline) {
  VT_TRY(Fd agent, connect_to_agent());
  int lent = ::fcntl(agent.get(), F_DUPFD_CLOEXEC, 0);
  if (lent < 0 || ssh_set_agent_socket(connection.session(), lent) != SSH_OK) return fail(Errc::internal, "auth: ssh-agent cannot be used");
  Watchdog guard({agent.get()}, deadline);
  auto step = [&] { return again_if_pending(ssh_userauth_agent(connection.session(), nullptr)); };
  VT_TRY(int rc, connection.drive("auth: ssh-agent or the server's answer", step, deadline));
  return outcome(connection, host, rc, "every key in ssh-agent");
}

}  // namespace

Status authenticate(SshConnection& connection, const HostSpec& host, Deadline deadline) {
  if (host.identity.empty() && !host.agent)
    return fail(Errc::auth, "auth: no key for " + endpoint_text(host) + "; give `identity: FILE` or `agent: true`");
  std::optional<Status> file;
  if (!host.identity.empty()) file = with_key_file(connection, host, deadline);
  if (file && (*file || !host.agent || file->error().code != Errc::auth)) return *file;
  return with_agent(connection, host, deadline);
}

}  // namespace vt
