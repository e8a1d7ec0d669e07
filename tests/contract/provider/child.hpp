#pragma once
#include <fcntl.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "tests/contract/provider/pods.hpp"

namespace vt::test {

struct ToolRun {
  int status = 0;    ///< as from waitpid
  std::string said;  ///< both streams
};

/// Runs `pod_tool` with these arguments in a process of its own, behind `wrapper`, with that failpoint armed.
inline ToolRun pod_tool(std::vector<std::string> arguments, const std::string& failpoint = "", std::vector<std::string> wrapper = {}) {
  wrapper.push_back(std::string(VT_BIN_DIR) + "/pod_tool");
  wrapper.insert(wrapper.end(), arguments.begin(), arguments.end());
  char log[] = "/tmp/vt-tool-XXXXXX";
  int out = mkstemp(log);
  pid_t child = fork();
  if (child == 0) {
    setenv("VAULT_TEST_FAILPOINT", failpoint.c_str(), 1);
    dup2(out, 1);
    dup2(out, 2);
    std::vector<char*> words;
    for (auto& word : wrapper) words.push_back(word.data());
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
  }
  ToolRun run;
  waitpid(child, &run.status, 0);
  std::ostringstream text;
  text << std::ifstream(log).rdbuf();
  run.said = text.str();
  close(out);
  unlink(log);
  return run;
}

}  // namespace vt::test
