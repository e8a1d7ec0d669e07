#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vt::agent {

/// One line of /proc/PID/stat.
struct Process {
  pid_t pid = 0, parent = 0, session = 0;
  char state = '?';
  std::int64_t start_ticks = 0;  ///< with the pid and the boot id, names a process for ever
};

std::optional<Process> find_process(pid_t);
/// Every process below `root`, those that left its session or process group included; dead ones waiting for wait() excluded.
std::vector<pid_t> descendants(pid_t root);
/// Sends `signal` to each; where that is forbidden (they run under sudo) starts `sudo -n kill` and returns its pid, else 0.
pid_t signal_all(const std::vector<pid_t>&, int signal);
/// Kills what a dead supervisor left: every process of its session, unless its pid has been given to another process.
void kill_orphans(pid_t supervisor, std::int64_t start_ticks);

}  // namespace vt::agent
