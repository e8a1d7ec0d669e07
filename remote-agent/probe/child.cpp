#include "remote-agent/probe/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace vt::probe {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

[[noreturn]] void be_child(const std::function<void(int)>& work, int out) {
  ::setsid();  // no terminal to ask on, and one group to kill
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int s : {SIGPIPE, SIGTERM, SIGINT, SIGCHLD}) ::signal(s, SIG_DFL);
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd : {0, 1, 2}) ::dup2(null, fd);  // standard output of the agent is its protocol
  work(out);
  ::_exit(0);
}

bool read_until_end(int in, Clock::time_point until, std::string& text) {
  for (;;) {
    auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
    pollfd p{in, POLLIN, 0};
    int ready = ::poll(&p, 1, static_cast<int>(std::max<long>(left, 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    std::array<char, 4096> part{};
    auto n = ::read(in, part.data(), part.size());
    if (n <= 0) return n == 0;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
}

/// A child that is killed while in the kernel for good would block waitpid, so this only looks for a moment.
void reap(pid_t child) {
  for (int i = 0; i < 50; ++i) {
    if (::waitpid(child, nullptr, WNOHANG) != 0) return;
    ::usleep(1000);
  }
}

}  // namespace

ChildText in_child(const std::function<void(int)>& work, milliseconds limit) {
  int ends[2];
  if (limit <= milliseconds{0} || ::pipe2(ends, O_CLOEXEC) != 0) return {};
  auto until = Clock::now() + limit;
  pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    be_child(work, ends[1]);
  }
  ::close(ends[1]);
  ChildText out;
  if (child > 0) {
    out.finished = read_until_end(ends[0], until, out.text);
    ::kill(-child, SIGKILL);
    ::kill(child, SIGKILL);  // before its setsid there was no such group
    reap(child);
  }
  ::close(ends[0]);
  return out;
}

void say(int out, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    auto n = ::write(out, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    at += static_cast<std::size_t>(n);
  }
}

}  // namespace vt::probe
