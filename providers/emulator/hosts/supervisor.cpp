#include "providers/emulator/hosts/supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "orchestrator/model/text.hpp"
#include "providers/emulator/hosts/files.hpp"

namespace vt::emulator {

namespace {

/// Standard input is a pipe that nothing is ever written to. Its end of file is the emulator's order, or its death. What loses
/// its parent becomes a child of this shell, so "no child left" means that nothing is left.
constexpr const char* kScript = R"(# Runs a host's first process and ends, with it everything that it started.
exec 3<&0 </dev/null
find_children() {
  children=
  for stat in /proc/[0-9]*/stat; do
    { read -r line <"$stat"; } 2>/dev/null || continue
    pid=${line%% *}
    line=${line##*) }
    line=${line#? }
    [ "${line%% *}" != $$ ] || children="$children $pid"
  done
}
@COMMAND@ 3<&- &
first=$!
{ read -r never <&3; kill -9 $first; } 2>/dev/null &
wait $first 2>/dev/null
while find_children; [ -n "$children" ]; do
  kill -9 $children 2>/dev/null
  sleep 0.02 &
  wait $!
done
@AFTER@
)";

/// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become(int lifeline, int log, char* const* words, char* const* environment) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) signal(number, SIG_DFL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  setsid();
  if (dup2(lifeline, 0) == 0 && dup2(log, 1) == 1 && dup2(log, 2) == 2 && syscall(SYS_close_range, 3U, ~0U, 0U) == 0)
    execve(words[0], words, environment);
  _exit(127);
}

Result<Fd> spawn(const std::string& script, const std::string& mark, const Fd& lifeline, const Fd& log) {
  std::array<std::string, 3> words{"/bin/sh", script, mark};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  std::string path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", locale = "LC_ALL=C";
  char* environment[] = {path.data(), locale.data(), nullptr};
  pid_t pid = fork();
  if (pid == 0) become(lifeline.get(), log.get(), argv, environment);
  if (pid < 0) return fail(Errc::internal, std::string("fork: ") + std::strerror(errno));
  return Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

std::string script_for(const Supervised& what) {
  std::string script = kScript, command;
  for (auto& word : what.command) command += (command.empty() ? "" : " ") + shell_quote(word);
  auto put = [&](const std::string& slot, const std::string& text) { script.replace(script.find(slot), slot.size(), text); };
  put("@AFTER@", what.after);
  put("@COMMAND@", command);
  return script;
}

}  // namespace

Result<Supervisor> Supervisor::start(const Supervised& what) {
  std::string script = what.folder + "/supervise", log_path = what.folder + "/log";
  VT_CHECK(write_file(script, script_for(what), 0600));
  Fd log(open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!log) return fail(Errc::storage, log_path + ": " + std::strerror(errno));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail(Errc::internal, std::string("pipe: ") + std::strerror(errno));
  Fd their_end(ends[0]);
  Supervisor supervisor;
  supervisor.lifeline_.reset(ends[1]);
  VT_TRY(supervisor.process_, spawn(script, what.mark, their_end, log));
  return supervisor;
}

Supervisor::~Supervisor() {
  if (process_) static_cast<void>(stop(Deadline::after(std::chrono::seconds(20))));
}

bool Supervisor::alive() const {
  pollfd p{process_.get(), POLLIN, 0};
  return process_ && poll(&p, 1, 0) == 0;
}

Status Supervisor::stop(Deadline deadline) {
  lifeline_.reset();
  if (!process_) return {};
  pollfd p{process_.get(), POLLIN, 0};
  while (poll(&p, 1, static_cast<int>(deadline.left().count())) <= 0)
    if (deadline.passed()) return fail(Errc::timeout, "the host's processes do not end");
  siginfo_t ended{};
  waitid(P_PIDFD, static_cast<id_t>(process_.get()), &ended, WEXITED);
  process_.reset();
  return {};
}

}  // namespace vt::emulator
