#pragma once
#include <sys/utsname.h>

#include <cstdlib>
#include <filesystem>

#include "orchestrator/host/agent_session.hpp"
#include "tests/support/temp_dir.hpp"

namespace vt::test {

/// HOME in a folder of its own while this lives: what local commands write stays in it.
class Home {
 public:
  Home() : before_(std::getenv("HOME") ? std::getenv("HOME") : "/") { setenv("HOME", folder_.path().c_str(), 1); }
  ~Home() { setenv("HOME", before_.c_str(), 1); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] const std::string& path() const { return folder_.path(); }

 private:
  TempDir folder_;
  std::string before_;
};

inline std::string machine() {
  utsname system{};
  uname(&system);
  return system.machine;
}

/// The fake agent as the agent of this machine's architecture.
inline AgentBinaries fake_agent(const TempDir& folder) {
  AgentBinaries binaries{folder.path()};
  std::filesystem::copy_file(VT_BIN_DIR "/vt_fake_agent", binaries.path(machine()));
  return binaries;
}

}  // namespace vt::test
