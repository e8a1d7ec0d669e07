// Every place that touches the world can be made to fail: each such call has a failpoint close above it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLinesAbove = 25;

constexpr std::string_view kEffects[] = {
    "fork()",           "posix_spawn(",       "posix_spawnp(", "execv(",       "execve(",           "execvp(",
    "popen(",           "std::system(",       "::connect(",    "ssh_connect(", "ssh_channel_open_", "ssh_channel_write(",
    "ssh_channel_read", "curl_easy_perform(", "\"COMMIT",      "replace_file("};

/// File -> calls without a failpoint of their own, and why that is so.
const std::map<std::string, std::vector<std::pair<std::string, std::string>>> kAllowed{
    {"orchestrator/host/child.cpp", {{"execve(", "in the child, right after the fork that has one"}}},
    {"orchestrator/host/ssh_auth.cpp", {{"::connect(", "the user's ssh-agent, a socket on this machine, before authentication"}}},
    {"orchestrator/host/ssh_stream.cpp",
     {{"ssh_channel_write(", "called by write(), which has one"}, {"ssh_channel_read_nonblocking(", "called by read(), which has one"}}},
    {"orchestrator/host/ssh_tunnel.cpp",
     {{"ssh_channel_write(", "relays bytes of a stream whose ends have them"},
      {"ssh_channel_read_nonblocking(", "relays bytes of a stream whose ends have them"}}},
    {"orchestrator/store/database.cpp", {{"\"COMMIT", "the schema's before_commit and after_commit, which have them"}}},
};

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

bool allowed(const std::string& file, const std::string& line) {
  auto at = kAllowed.find(file);
  if (at == kAllowed.end()) return false;
  for (auto& [call, why] : at->second)
    if (line.find(call) != std::string::npos) return true;
  return false;
}

bool has_effect(const std::string& line) {
  bool declares = line.starts_with("Status ") || line.starts_with("Result<") || line.find_first_not_of(" ") == line.find("//");
  return !declares &&
         std::any_of(std::begin(kEffects), std::end(kEffects), [&](auto call) { return line.find(call) != std::string::npos; });
}

bool is_failpoint(const std::string& line) {
  return line.find("VT_FAILPOINT(\"") != std::string::npos || line.find("failpoint_reached(\"") != std::string::npos;
}

/// Within the same function: not above a line that closes one.
bool has_failpoint_above(const std::vector<std::string>& lines, std::size_t at) {
  for (std::size_t above = 0; above <= std::min(kLinesAbove, at); ++above) {
    auto& line = lines[at - above];
    if (above > 0 && line.starts_with("}")) return false;
    if (is_failpoint(line)) return true;
  }
  return false;
}

std::vector<std::string> bare_effects(const fs::path& root, const std::string& folder, int& effects) {
  std::vector<std::string> out;
  for (auto& entry : fs::recursive_directory_iterator(root / folder)) {
    if (entry.path().extension() != ".cpp") continue;
    auto name = fs::relative(entry.path(), root).string();
    if (name.starts_with("providers/emulator/")) continue;  // the other side of the tests; what it does to a client are its faults
    auto lines = lines_of(entry.path());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!has_effect(lines[i])) continue;
      ++effects;
      if (!has_failpoint_above(lines, i) && !allowed(name, lines[i])) out.push_back(name + ":" + std::to_string(i + 1) + ": " + lines[i]);
    }
  }
  return out;
}

}  // namespace

TEST(EffectSites, EveryCallThatTouchesTheWorldHasAFailpoint) {
  int effects = 0;
  for (auto folder : {"orchestrator", "providers"})
    for (auto& bare : bare_effects(VT_SOURCE_DIR, folder, effects)) ADD_FAILURE() << bare;
  EXPECT_GT(effects, 8) << "the search finds nothing any more";
}
