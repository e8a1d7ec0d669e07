#include "orchestrator/host/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "orchestrator/model/failpoint.hpp"

namespace vt {

namespace {

/// Forks on a thread that lasts as long as the program: PR_SET_PDEATHSIG fires when the *thread* that forked ends, and
/// callers' threads come and go.
class Spawner {
 public:
  Spawner() {
    std::thread([this] { serve(); }).detach();
  }
  pid_t run(const std::function<pid_t()>& task) {
    std::lock_guard one_at_a_time(callers_);
    std::unique_lock lock(mutex_);
    task_ = &task, done_ = false;
    changed_.notify_all();
    changed_.wait(lock, [this] { return done_; });
    return pid_;
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return task_ != nullptr; });
      pid_ = (*std::exchange(task_, nullptr))();
      done_ = true;
      changed_.notify_all();
    }
  }

  std::mutex callers_, mutex_;
  std::condition_variable changed_;
  const std::function<pid_t()>* task_ = nullptr;
  bool done_ = false;
  pid_t pid_ = -1;
};

Spawner& spawner() {
  static auto instance = new Spawner;  // never destroyed: its thread ends with the program
  return *instance;
}

struct Pipe {
  Fd read, write;
};

Status open_pipe(Pipe& pipe) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(Errc::internal, std::string("no pipe: ") + strerror(errno));
  pipe.read.reset(ends[0]), pipe.write.reset(ends[1]);
  return {};
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

/// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become(pid_t parent, int in, int out, int err, char* const* argv, char* const* environment) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it ended before prctl
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &plain, nullptr);
  if (::dup2(in, 0) == 0 && ::dup2(out, 1) == 1 && ::dup2(err, 2) == 2) ::execve(argv[0], argv, environment);
  ::_exit(127);
}

}  // namespace

Result<Child> Child::spawn(const std::vector<std::string>& argv, const std::vector<std::string>& environment) {
  VT_FAILPOINT("process.spawn");
  Pipe in, out, err;
  VT_CHECK(open_pipe(in));
  VT_CHECK(open_pipe(out));
  VT_CHECK(open_pipe(err));
  auto arguments = pointers(argv), variables = pointers(environment);
  pid_t self = ::getpid();
  Child child;
  child.pid_ = spawner().run([&] {
    pid_t pid = ::fork();
    if (pid == 0) become(self, in.read.get(), out.write.get(), err.write.get(), arguments.data(), variables.data());
    return pid;
  });
  if (child.pid_ < 0) return fail(Errc::internal, "cannot start a process on this machine");
  ::setpgid(child.pid_, child.pid_);  // here too: whoever kills the group must not come before the child's own call
  child.handle_.reset(static_cast<int>(::syscall(SYS_pidfd_open, child.pid_, 0)));
  child.in = std::move(in.write), child.out = std::move(out.read), child.err = std::move(err.read);
  for (int fd : {child.in.get(), child.out.get(), child.err.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return child;
}

Child::Child(Child&& other) noexcept
    : in(std::move(other.in)),
      out(std::move(other.out)),
      err(std::move(other.err)),
      pid_(std::exchange(other.pid_, -1)),
      handle_(std::move(other.handle_)) {}

/// The leader is only reaped after the group was killed: until then its number cannot be another group's.
Child::~Child() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
}

Result<int> Child::wait(Deadline deadline) {
  while (true) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
      return fail(Errc::transport, "the process is gone");
    if (info.si_pid == pid_) return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
    if (deadline.passed()) return fail(Errc::timeout, "the command did not end in time");
    pollfd p{handle_.get(), POLLIN, 0};
    ::poll(&p, 1, static_cast<int>(deadline.left().count()));
  }
}

}  // namespace vt
