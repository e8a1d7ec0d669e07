#include "providers/container/process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "orchestrator/host/fd.hpp"
#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

constexpr std::size_t kOutputLimit = 64 * 1024;
constexpr const char* kSystemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr std::string_view kMarkPrefix = "vt-pod.";

/// posix_spawn's file actions, freed once.
class Actions {
 public:
  Actions() { posix_spawn_file_actions_init(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  void streams(int out) {
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, 1);
    posix_spawn_file_actions_adddup2(&actions_, out, 2);
    posix_spawn_file_actions_addclosefrom_np(&actions_, 3);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Starts argv[0] with both output streams going to `out`. Secrets in our environment are none of a pod's business.
Result<pid_t> spawn(const std::vector<std::string>& argv, int out) {
  VT_FAILPOINT("process.spawn");
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  static const std::string path = std::string("PATH=") + kSystemPath;
  char* environment[] = {const_cast<char*>(path.c_str()), const_cast<char*>("LC_ALL=C"), const_cast<char*>("container=oci"), nullptr};
  Actions actions;
  actions.streams(out);
  pid_t pid = 0;
  if (int error = posix_spawn(&pid, words[0], actions.get(), nullptr, words.data(), environment))
    return fail(Errc::internal, argv[0] + ": " + std::strerror(error));
  return pid;
}

int milliseconds(Deadline deadline) { return static_cast<int>(std::min<std::int64_t>(deadline.left().count(), 60'000)); }

/// Reads to the end of the pipe; false if the deadline passed first.
bool read_all(int fd, std::string& text, Deadline deadline) {
  char buffer[4096];
  while (!deadline.passed()) {
    pollfd p{fd, POLLIN, 0};
    if (poll(&p, 1, milliseconds(deadline)) <= 0) continue;
    auto n = read(fd, buffer, sizeof buffer);
    if (n <= 0) return true;
    text.append(buffer, std::min(static_cast<std::size_t>(n), kOutputLimit - text.size()));
  }
  return false;
}

Fd open_pid(int pid) { return Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))); }

bool wait_ended(int pidfd, Deadline deadline) {
  pollfd p{pidfd, POLLIN, 0};
  while (poll(&p, 1, milliseconds(deadline)) <= 0)
    if (deadline.passed()) return false;
  return true;
}

/// Exit code of our child; kills it at the deadline.
Result<int> reap_child(pid_t pid, bool in_time, Deadline deadline) {
  Fd pidfd = open_pid(pid);
  if (!in_time || !wait_ended(pidfd.get(), deadline)) in_time = false, kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  if (!in_time) return fail(Errc::timeout, "did not end in time");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The arguments of a process; nullopt (and why in errno) if they cannot be read. A zombie has none.
std::optional<std::string> arguments_of(const std::string& pid) {
  Fd fd(open(("/proc/" + pid + "/cmdline").c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  std::string text;
  char buffer[4096];
  ssize_t n = 0;
  while ((n = read(fd.get(), buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<std::size_t>(n));
  if (n < 0) return std::nullopt;
  return text;
}

/// The pod named by the mark among NUL-separated arguments; empty if there is none.
std::string marked_pod(const std::string& arguments) {
  for (std::size_t at = 0; at < arguments.size();) {
    std::string word = arguments.c_str() + at;
    if (word.starts_with(kMarkPrefix)) return word.substr(kMarkPrefix.size());
    at += word.size() + 1;
  }
  return "";
}

bool is_our_users(const std::string& pid) {
  struct stat st {};
  return stat(("/proc/" + pid).c_str(), &st) == 0 && st.st_uid == geteuid();
}

struct CloseDir {
  void operator()(DIR* d) const { closedir(d); }
};

}  // namespace

std::string find_program(const std::string& name) {
  auto path = std::getenv("PATH");
  for (auto file : split(std::string(path ? path : "") + ":" + kSystemPath, ':')) {
    file.append("/").append(name);
    if (file.starts_with('/') && access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

Result<Finished> run_program(const std::vector<std::string>& argv, Deadline deadline) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail(Errc::internal, std::string("pipe: ") + std::strerror(errno));
  Fd read_end(ends[0]), write_end(ends[1]);
  VT_TRY(pid_t pid, spawn(argv, write_end.get()));
  write_end.reset();
  Finished finished;
  bool in_time = read_all(read_end.get(), finished.output, deadline);
  auto code = reap_child(pid, in_time, deadline);
  if (!code) return fail(code.error().code, argv[0] + " " + code.error().what);
  finished.exit_code = *code;
  return finished;
}

Status launch_detached(const std::vector<std::string>& argv, const std::string& log) {
  Fd out(open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!out) return fail(Errc::storage, log + ": " + std::strerror(errno));
  std::string setsid = find_program("setsid");
  if (setsid.empty()) return fail(Errc::not_found, "setsid (util-linux) is not installed");
  std::vector<std::string> command{setsid, "--fork"};
  command.insert(command.end(), argv.begin(), argv.end());
  VT_TRY(pid_t pid, spawn(command, out.get()));
  VT_TRY(int code, reap_child(pid, true, Deadline::after(std::chrono::seconds(10))));
  if (code != 0) return fail(Errc::internal, "setsid ended with " + std::to_string(code));
  return {};
}

std::string pod_mark(const std::string& pod) { return std::string(kMarkPrefix) + pod; }

ProcessScan scan_processes() {
  ProcessScan scan;
  std::unique_ptr<DIR, CloseDir> proc(opendir("/proc"));
  scan.complete = proc != nullptr;
  while (auto entry = proc ? readdir(proc.get()) : nullptr) {
    std::string pid = entry->d_name;
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    auto arguments = arguments_of(pid);
    if (!arguments && errno != ENOENT && errno != ESRCH && is_our_users(pid)) scan.complete = false;
    if (!arguments) continue;
    if (auto pod = marked_pod(*arguments); !pod.empty()) scan.marked.push_back({std::stoi(pid), pod});
  }
  return scan;
}

Status kill_pod_processes(const std::string& pod, Deadline deadline) {
  while (true) {
    std::vector<Fd> dying;
    for (auto& process : scan_processes().marked) {
      if (process.pod != pod) continue;
      Fd pidfd = open_pid(process.pid);
      // The number may have been reused since the scan; the descriptor holds on to whoever has it now.
      if (!pidfd || marked_pod(arguments_of(std::to_string(process.pid)).value_or("")) != pod) continue;
      if (syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0) != 0 && errno == EPERM)
        return fail(Errc::auth, "process " + std::to_string(process.pid) + " of " + pod + " may not be killed by this user");
      dying.push_back(std::move(pidfd));
    }
    if (dying.empty()) return {};
    for (auto& pidfd : dying)
      if (!wait_ended(pidfd.get(), deadline)) return fail(Errc::timeout, "processes of " + pod + " do not end");
  }
}

}  // namespace vt
