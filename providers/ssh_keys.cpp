#include "providers/ssh_keys.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "orchestrator/model/free_with.hpp"
#include "providers/base64.hpp"

namespace vt {

namespace {

using Pkey = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;

constexpr std::size_t kRawBytes = 32;  ///< of an ed25519 public key, and of its private seed (RFC 8032)
using Raw = std::array<unsigned char, kRawBytes>;

std::string text(const Raw& raw) { return {raw.begin(), raw.end()}; }

/// Number and string encodings of the SSH protocol (RFC 4251, section 5).
std::string number(std::uint32_t n) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(n >> shift & 0xff);
  return out;
}
std::string string(const std::string& s) { return number(static_cast<std::uint32_t>(s.size())) + s; }

/// The "openssh-key-v1" container without encryption, as OpenSSH's PROTOCOL.key describes it.
std::string private_key_file(const std::string& public_blob, const Raw& public_raw, const Raw& seed, const std::string& comment) {
  std::string secret = number(0) + number(0);  // two equal check numbers; they only matter with encryption
  secret += string("ssh-ed25519") + string(text(public_raw)) + string(text(seed) + text(public_raw)) + string(comment);
  for (char pad = 1; secret.size() % 8 != 0; ++pad) secret += pad;
  std::string blob("openssh-key-v1\0", 15);
  blob += string("none") + string("none") + string("") + number(1) + string(public_blob) + string(secret);
  std::string encoded = base64(blob), lines;
  for (std::size_t at = 0; at < encoded.size(); at += 70) lines += encoded.substr(at, 70) + "\n";
  return "-----BEGIN OPENSSH PRIVATE KEY-----\n" + lines + "-----END OPENSSH PRIVATE KEY-----\n";
}

std::string sha256_fingerprint(const std::string& blob) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(blob.data(), blob.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string encoded = base64(std::string(digest.begin(), digest.begin() + size));
  while (encoded.ends_with('=')) encoded.pop_back();
  return "SHA256:" + encoded;
}

}  // namespace

Result<SshKey> new_ssh_key(const std::string& comment) {
  Pkey key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  Raw public_raw{}, seed{};
  std::size_t n = kRawBytes, m = kRawBytes;
  if (!key || EVP_PKEY_get_raw_public_key(key.get(), public_raw.data(), &n) != 1 ||
      EVP_PKEY_get_raw_private_key(key.get(), seed.data(), &m) != 1)
    return fail(Errc::internal, "an ed25519 key could not be made");
  std::string blob = string("ssh-ed25519") + string(text(public_raw));
  return SshKey{private_key_file(blob, public_raw, seed, comment), "ssh-ed25519 " + base64(blob) + " " + comment, sha256_fingerprint(blob)};
}

std::string key_fingerprint(const std::string& base64_key) { return sha256_fingerprint(unbase64(base64_key)); }

Result<std::string> ed25519_fingerprint(const std::string& base64_key) {
  constexpr std::size_t longest = 1024;
  auto blob = base64_key.size() <= longest ? unbase64(base64_key) : "";
  auto head = string("ssh-ed25519") + number(kRawBytes);
  if (!blob.starts_with(head) || blob.size() != head.size() + kRawBytes) return fail(Errc::host_key, "not an ed25519 public key");
  return sha256_fingerprint(blob);
}

}  // namespace vt
