#include <filesystem>

#include "orchestrator/host/agent_session.hpp"

namespace vt {

namespace fs = std::filesystem;

std::string AgentBinaries::path(const std::string& arch) const { return folder + "/vault-test-agent-" + arch; }

AgentBinaries AgentBinaries::beside_this_program() {
  std::error_code ignored;
  auto here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (auto& entry : fs::directory_iterator(here, ignored))
    if (entry.path().filename().string().starts_with("vault-test-agent-")) return {here.string()};
  return {(here.parent_path() / "libexec" / "vault-test").string()};
}

}  // namespace vt
