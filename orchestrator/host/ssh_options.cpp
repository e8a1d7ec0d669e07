#include "orchestrator/host/ssh_options.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "orchestrator/host/ssh_handles.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

// AES-GCM is left out: libssh before its October 2026 fixes does not check the tag correctly (CVE-2026-59847).
constexpr const char* kCiphers = "chacha20-poly1305@openssh.com,aes256-ctr,aes128-ctr";
constexpr const char* kExchange = "curve25519-sha256,curve25519-sha256@libssh.org";
constexpr const char* kMacs = "hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha2-256,hmac-sha2-512";

bool only(std::string_view text, std::string_view punctuation) {
  auto fits = [&](unsigned char c) { return std::isalnum(c) || punctuation.find(static_cast<char>(c)) != std::string_view::npos; };
  return !text.empty() && text.size() <= 255 && text.front() != '-' && std::all_of(text.begin(), text.end(), fits);
}

struct Setter {
  ssh_session session;
  std::string failed;
  void set(ssh_options_e option, const void* value, const char* what) {
    if (ssh_options_set(session, option, value) != SSH_OK && failed.empty()) failed = what;
  }
};

void set_algorithms(Setter& to) {
  to.set(SSH_OPTIONS_KEY_EXCHANGE, kExchange, "key exchange");
  to.set(SSH_OPTIONS_CIPHERS_C_S, kCiphers, "ciphers");
  to.set(SSH_OPTIONS_CIPHERS_S_C, kCiphers, "ciphers");
  to.set(SSH_OPTIONS_HMAC_C_S, kMacs, "MACs");
  to.set(SSH_OPTIONS_HMAC_S_C, kMacs, "MACs");
  to.set(SSH_OPTIONS_COMPRESSION, "no", "compression");
}

void set_identity_sources(Setter& to, const HostSpec& host) {
  int no = 0, yes = 1;
  to.set(SSH_OPTIONS_KNOWNHOSTS, host.host_key.empty() ? host.known_hosts.c_str() : "/dev/null", "known hosts");
  to.set(SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null", "known hosts");
  to.set(SSH_OPTIONS_STRICTHOSTKEYCHECK, &yes, "host key checking");
  to.set(SSH_OPTIONS_PUBKEY_AUTH, &yes, "authentication");
  to.set(SSH_OPTIONS_PASSWORD_AUTH, &no, "authentication");
  to.set(SSH_OPTIONS_KBDINT_AUTH, &no, "authentication");
  to.set(SSH_OPTIONS_GSSAPI_AUTH, &no, "authentication");
  if (!host.agent) to.set(SSH_OPTIONS_IDENTITY_AGENT, "none", "ssh-agent");
}

}  // namespace

std::string login_name(const HostSpec& host) {
  if (!host.user.empty()) return host.user;
  auto entry = getpwuid(getuid());
  return entry ? entry->pw_name : "root";
}

std::string endpoint_text(const HostSpec& host) { return login_name(host) + "@" + host.address + ":" + std::to_string(host.port); }

Status validate_access(const HostSpec& host) {
  if (!only(host.address, ".:_-%")) return fail(Errc::config, "name: '" + printable(host.address) + "' is not a host name or address");
  if (!only(login_name(host), "._-")) return fail(Errc::config, "name: '" + printable(host.user) + "' is not a user name");
  if (host.port < 1 || host.port > 65535) return fail(Errc::config, "name: " + std::to_string(host.port) + " is not a port");
  if (host.host_key.empty() && host.known_hosts.empty())
    return fail(Errc::host_key, "host key: none pinned; give the fingerprint (host-key: SHA256:…) or a known_hosts file for " +
                                    endpoint_text(host) + " (`ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on the host shows it)");
  return {};
}

Status set_ssh_options(ssh_session_struct* session, const HostSpec& host, int socket, Duration timeout) {
  Setter to{session, {}};
  bool no_config = false;  // first: nothing of the user's ssh configuration may come in
  int quiet = SSH_LOG_NOLOG;
  auto port = static_cast<unsigned>(host.port);
  auto user = login_name(host);
  long seconds = std::max<long>(1, timeout.count() / 1000);
  to.set(SSH_OPTIONS_PROCESS_CONFIG, &no_config, "configuration");
  to.set(SSH_OPTIONS_LOG_VERBOSITY, &quiet, "log level");
  to.set(SSH_OPTIONS_HOST, host.address.c_str(), "host");
  to.set(SSH_OPTIONS_PORT, &port, "port");
  to.set(SSH_OPTIONS_USER, user.c_str(), "user");
  to.set(SSH_OPTIONS_FD, &socket, "socket");
  to.set(SSH_OPTIONS_TIMEOUT, &seconds, "timeout");
  set_algorithms(to);
  set_identity_sources(to, host);
  if (!to.failed.empty())
    return fail(Errc::internal, "this libssh does not take the setting for " + to.failed + ": " + ssh_get_error(session));
  return {};
}

}  // namespace vt
