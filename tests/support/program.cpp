#include "tests/support/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace vt::test {

namespace {

using namespace std::chrono_literals;

void redirect(const std::string& path, int fd) {
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(file, fd);
  close(file);
}

}  // namespace

pid_t Program::start(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{binary, "--state-dir", state(), "--catalogue", catalogue};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    if (terminal.empty()) setpgid(0, 0);
    else setsid(), open(terminal.c_str(), O_RDWR | O_CLOEXEC);  // the first one that is opened becomes the session's
    redirect(folder_ / "out", STDOUT_FILENO);
    redirect(folder_ / "err", STDERR_FILENO);
    for (auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    signal(SIGINT, SIG_DFL), signal(SIGHUP, SIG_DFL);  // ignored under nohup or in a shell's background, and then by the program, too
    execv(argv[0], argv.data());
    _exit(127);
  }
  return pid_;
}

Ended Program::wait(int seconds) {
  Ended ended;
  int status = 0;
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > until) kill(pid_, SIGKILL);
    std::this_thread::sleep_for(20ms);
  }
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.out = read_file(folder_ / "out");
  ended.err = read_file(folder_ / "err");
  return ended;
}

Ended Program::run(const std::vector<std::string>& arguments, int seconds) {
  start(arguments);
  return wait(seconds);
}

std::string Program::plan(const std::string& text) {
  auto path = folder_ / ("plan" + std::to_string(++plans_) + ".yaml");
  write_file(path, text);
  return path;
}

bool Program::saw(const std::string& text, int seconds) const {
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (std::chrono::steady_clock::now() < until) {
    if (err().find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

}  // namespace vt::test
