#include "orchestrator/host/ssh_host_key.hpp"

#include <unistd.h>

#include "orchestrator/host/ssh_handles.hpp"
#include "orchestrator/host/ssh_options.hpp"

namespace vt {

namespace {

struct Shown {
  std::string fingerprint, type;
};

Result<Shown> shown_by(ssh_session session) {
  ssh_key raw = nullptr;
  if (ssh_get_server_publickey(session, &raw) != SSH_OK) return fail(Errc::host_key, "host key: the server showed none");
  SshKeyHandle key(raw);
  unsigned char* hash = nullptr;
  std::size_t size = 0;
  if (ssh_get_publickey_hash(key.get(), SSH_PUBLICKEY_HASH_SHA256, &hash, &size) != SSH_OK)
    return fail(Errc::host_key, "host key: no fingerprint could be made of it");
  char* text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
  Shown out{text ? text : "", ssh_key_type_to_char(ssh_key_type(key.get()))};
  ssh_string_free_char(text);
  ssh_clean_pubkey_hash(&hash);
  return out;
}

/// Fingerprints are shown with and without base64 padding.
std::string unpadded(std::string text) {
  while (text.ends_with('=')) text.pop_back();
  return text;
}

Status compare_pinned(const Shown& shown, const HostSpec& host) {
  if (unpadded(shown.fingerprint) == unpadded(host.host_key)) return {};
  return fail(Errc::host_key, "host key: expected " + host.host_key + ", got " + shown.fingerprint + " (" + shown.type + " of " +
                                  host.address + "); another machine answers there, or its key was replaced: compare with its console");
}

Status compare_known(ssh_session session, const Shown& shown, const HostSpec& host) {
  auto got = "got " + shown.fingerprint + " (" + shown.type + " of " + host.address + ")";
  if (::access(host.known_hosts.c_str(), R_OK) != 0) return fail(Errc::host_key, "host key: cannot read " + host.known_hosts + "; " + got);
  switch (ssh_session_is_known_server(session)) {
    case SSH_KNOWN_HOSTS_OK: return {};
    case SSH_KNOWN_HOSTS_CHANGED:
      return fail(Errc::host_key, "host key: expected the one in " + host.known_hosts + ", " + got +
                                      "; another machine answers there, or its key was replaced");
    case SSH_KNOWN_HOSTS_OTHER: return fail(Errc::host_key, "host key: " + host.known_hosts + " has a key of another type, " + got);
    default:
      return fail(Errc::host_key,
                  "host key: none for this host in " + host.known_hosts + ", " + got + "; compare with its console, then add it there");
  }
}

}  // namespace

Status check_host_key(ssh_session_struct* session, const HostSpec& host) {
  VT_TRY(auto shown, shown_by(session));
  if (!host.host_key.empty()) return compare_pinned(shown, host);
  return compare_known(session, shown, host);
}

}  // namespace vt
