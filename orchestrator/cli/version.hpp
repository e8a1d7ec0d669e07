#pragma once
#include <string>

namespace vt {

/// "vault-test 0.1.0 (SQLite 3.40.1, libssh 0.10.6, …)"
std::string version_text();
/// "0.1.0"
std::string version_number();

}  // namespace vt
