#include "remote-agent/processes.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "remote-agent/base/os.hpp"

namespace vt::agent {

namespace {

std::vector<Process> all_processes() {
  std::vector<Process> out;
  std::error_code ignored;
  for (auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    auto pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    if (auto p = find_process(pid)) out.push_back(*p);
  }
  return out;
}

void exec_sudo_kill(const std::vector<pid_t>& pids, int signal) {
  std::vector<std::string> words = {"sudo", "-n", "--", "kill", "-" + std::to_string(signal)};
  for (auto pid : pids) words.push_back(std::to_string(pid));
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  drop_descriptors({});
  execvp("sudo", argv.data());
}

}  // namespace

std::optional<Process> find_process(pid_t pid) {
  auto text = read_file("/proc/" + std::to_string(pid) + "/stat");
  auto name_end = text.rfind(')');  // the name before it may hold anything, ") R 1" included
  if (name_end == std::string::npos) return std::nullopt;
  Process p;
  p.pid = pid;
  long long ticks = 0;
  auto got = std::sscanf(text.c_str() + name_end + 1, " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lld",
                         &p.state, &p.parent, &p.session, &ticks);
  p.start_ticks = ticks;
  return got == 4 ? std::optional(p) : std::nullopt;
}

std::vector<pid_t> descendants(pid_t root) {
  std::multimap<pid_t, Process> children;
  for (auto& p : all_processes()) children.emplace(p.parent, p);
  std::vector<pid_t> out, open = {root};
  while (!open.empty()) {
    auto [from, to] = children.equal_range(open.back());
    open.pop_back();
    for (auto at = from; at != to; ++at) {
      open.push_back(at->second.pid);
      if (at->second.state != 'Z') out.push_back(at->second.pid);
    }
  }
  return out;
}

pid_t signal_all(const std::vector<pid_t>& pids, int signal) {
  std::vector<pid_t> forbidden;
  for (auto pid : pids)
    if (kill(pid, signal) != 0 && errno == EPERM) forbidden.push_back(pid);
  if (forbidden.empty()) return 0;
  auto helper = fork();
  if (helper == 0) {
    exec_sudo_kill(forbidden, signal);
    _exit(127);
  }
  return helper > 0 ? helper : 0;
}

void kill_orphans(pid_t supervisor, std::int64_t start_ticks) {
  auto now = find_process(supervisor);
  if (now && now->start_ticks != start_ticks) return;
  std::vector<pid_t> orphans;
  for (auto& p : all_processes())
    if (p.session == supervisor && p.pid != supervisor) orphans.push_back(p.pid);
  signal_all(orphans, SIGKILL);
}

}  // namespace vt::agent
