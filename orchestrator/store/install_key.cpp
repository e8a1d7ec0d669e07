#include "orchestrator/store/install_key.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "orchestrator/model/text.hpp"
#include "orchestrator/store/digest.hpp"
#include "orchestrator/store/files.hpp"

namespace vt {

namespace {

constexpr auto kMark = "vault-test-key";

std::string from_hex(const std::string& text) {
  std::string out;
  if (text.size() % 2 != 0 || text.find_first_not_of("0123456789abcdef") != std::string::npos) return out;
  for (std::size_t i = 0; i < text.size(); i += 2) out += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return out;
}

}  // namespace

std::string InstallKey::token(const Ownership& owner, const std::string& provider, const std::string& account) const {
  auto text = join({provider, account, owner.name, std::to_string(owner.expires)}, "|");
  return base32(hmac_sha256(key, text)).substr(0, 26);
}

bool InstallKey::is_ours(const Ownership& owner, const std::string& provider, const std::string& account) const {
  if (owner.install != install || owner.name != "vt-" + owner.install + "-" + owner.attempt) return false;
  auto expected = token(owner, provider, account);
  return owner.token.size() == expected.size() && CRYPTO_memcmp(owner.token.data(), expected.data(), expected.size()) == 0;
}

Status write_install_key(const std::string& path, const InstallKey& key) {
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return fail(Errc::usage, path + ": " + std::strerror(errno));
  std::string line = std::string(kMark) + " " + key.install + " " + hex(key.key) + "\n";
  bool written = write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  bool closed = close(fd) == 0;
  return written && closed ? Status{} : Status(fail(Errc::storage, path + ": " + std::strerror(errno)));
}

Result<InstallKey> read_install_key(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return fail(Errc::usage, path + ": " + std::strerror(errno));
  if ((about.st_mode & 077U) != 0) return fail(Errc::refused, path + ": others may read it; chmod 600 " + path);
  VT_TRY(std::string text, read_file(path));
  std::istringstream in(text);
  std::string mark, install, hex;
  in >> mark >> install >> hex;
  InstallKey key{install, from_hex(hex)};
  if (mark != kMark || install.size() != 8 || key.key.size() != 32)
    return fail(Errc::config, path + ": not a key written by `vault-test reap --write-key`");
  return key;
}

}  // namespace vt
