#include "orchestrator/cli/version.hpp"

#include <libssh/libssh.h>
#include <sqlite3.h>

namespace vt {

std::string version_number() { return VT_VERSION; }

std::string version_text() {
  return "vault-test " + version_number() + " (SQLite " + sqlite3_libversion() + ", libssh " + ssh_version(0) + ")";
}

}  // namespace vt
