#pragma once
#include <string>

#include "orchestrator/model/result.hpp"

namespace vt {

/// An ed25519 key pair in OpenSSH's formats.
struct SshKey {
  std::string private_text;  ///< unencrypted: for a file of mode 0600, never for a log
  std::string public_line;   ///< "ssh-ed25519 AAAA… comment"
  std::string fingerprint;   ///< "SHA256:…"
};
Result<SshKey> new_ssh_key(const std::string& comment);

/// "SHA256:…" of a public key of any type, given in base64 as in a known_hosts line.
std::string key_fingerprint(const std::string& base64_key);
/// "SHA256:…" of an ed25519 public key in base64, as the second word of its .pub file. Errc::host_key if it is none.
Result<std::string> ed25519_fingerprint(const std::string& base64_key);

}  // namespace vt
