#include "remote-agent/checks/program.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "remote-agent/base/os.hpp"

namespace vt::checks {

namespace {

constexpr std::size_t kLongest = 1 << 20;

struct Said {
  std::string text;
  bool in_time = false;
};

Said read_all(int fd, std::int64_t stop_at) {
  Said out;
  agent::set_nonblocking(fd);
  while (agent::wait_readable(fd, stop_at - agent::boot_ms())) {
    auto chunk = agent::read_chunk(fd);
    out.text.append(chunk.bytes.substr(0, kLongest - std::min(kLongest, out.text.size())));
    if (chunk.end) return out.in_time = true, out;
  }
  return out;
}

}  // namespace

std::string first_line(const std::string& text) { return text.substr(0, std::min<std::size_t>(text.find('\n'), 200)); }

Result<ProgramEnd> run_program(std::vector<std::string> words, std::int64_t stop_at) {
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  auto pipe = agent::make_pipe();
  auto pid = fork();
  if (pid == 0) {
    dup2(pipe.write.get(), 1), dup2(pipe.write.get(), 2);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  if (pid < 0 || !pipe.read) return fail(Errc::internal, "cannot start a program");
  pipe.write.reset();
  auto said = read_all(pipe.read.get(), stop_at);
  if (!said.in_time) kill(pid, SIGKILL);
  int status = 0;
  waitpid(pid, &status, 0);
  if (!said.in_time) return fail(Errc::timeout, words[0] + " did not end in time");
  if (!WIFEXITED(status)) return fail(Errc::refused, words[0] + " was ended by signal " + std::to_string(WTERMSIG(status)));
  return ProgramEnd{WEXITSTATUS(status), std::move(said.text)};
}

bool has_program(const std::string& name) {
  auto* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace vt::checks
