#pragma once
#include <string>

#include "orchestrator/model/resource.hpp"
#include "orchestrator/model/result.hpp"

namespace vt {

/// Who an installation is and how it proves that a thing is its own.
struct InstallKey {
  std::string install;  ///< 8 characters
  std::string key;      ///< 32 raw bytes

  [[nodiscard]] std::string token(const Ownership&, const std::string& provider, const std::string& account) const;
  /// The token of that identity was made with this key, for this name and this end of the lease.
  [[nodiscard]] bool is_ours(const Ownership&, const std::string& provider, const std::string& account) const;
};

/// Writes a new file of mode 0600: one line, "vault-test-key <install> <key in hex>". An existing file is an error.
Status write_install_key(const std::string& path, const InstallKey&);
/// Errc::refused if others may read it, Errc::config if it is no key file.
Result<InstallKey> read_install_key(const std::string& path);

}  // namespace vt
