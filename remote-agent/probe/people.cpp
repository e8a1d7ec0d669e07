#include <utmpx.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "remote-agent/probe/probes.hpp"
#include "remote-agent/probe/words.hpp"

namespace vt::probe {
namespace {

constexpr std::int64_t kUnset = 4294967295;  // a loginuid nobody set

bool all_digits(const std::string& s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isdigit(c); });
}

class Names {
 public:
  explicit Names(const Host& host) {
    for (auto& line : lines(host.files.read("/etc/passwd").text)) {
      auto fields = split(line, ':');
      auto uid = fields.size() > 2 ? integer(fields[2]) : std::nullopt;
      if (uid) names_.emplace(*uid, fields[0]);
    }
  }
  [[nodiscard]] std::string of(std::int64_t uid) const {
    auto at = names_.find(uid);
    return at == names_.end() ? "uid " + std::to_string(uid) : at->second;
  }

 private:
  std::map<std::int64_t, std::string> names_;
};

struct Process {
  std::string comm;
  std::int64_t session = 0, terminal = 0, uid = 0;
};

/// nullopt: it has just ended, or may not be looked at.
std::optional<Process> look_at(const Host& host, const std::string& pid) {
  auto stat = host.files.read("/proc/" + pid + "/stat");
  auto status = host.files.read("/proc/" + pid + "/status");
  auto open = stat.text.find('('), close = stat.text.rfind(')');  // the name may hold anything, also brackets
  auto uids = words(after(status.text, "Uid:").value_or(""));
  if (open == std::string::npos || close == std::string::npos || uids.empty()) return std::nullopt;
  auto rest = words(std::string_view(stat.text).substr(close + 1));  // state ppid pgrp session tty_nr …
  if (rest.size() < 5) return std::nullopt;
  return Process{stat.text.substr(open + 1, close - open - 1), integer(rest[3]).value_or(0), integer(rest[4]).value_or(0),
                 integer(uids[0]).value_or(0)};
}

/// A person's session: a shell on a terminal, or sshd serving a user. Terminals that wait for someone to log in are none.
bool is_login(const Process& process, const std::string& pid) {
  if (process.comm == "sshd" || process.comm == "sshd-session") return process.uid != 0;
  bool waiting = process.comm.ends_with("getty") || process.comm == "login";
  return process.terminal != 0 && std::to_string(process.session) == pid && pid != "1" && !waiting;
}

std::optional<std::int64_t> login_uid(const Host& host, const std::string& pid) {
  auto uid = integer(host.files.read("/proc/" + pid + "/loginuid").text);
  return uid && *uid != kUnset ? uid : std::nullopt;
}

/// Where the system keeps login uids it is believed: a container's terminal has none and is not a login.
void add_from_processes(const Host& host, const std::vector<std::string>& pids, const Names& names, std::set<std::string>& people) {
  bool kept = login_uid(host, "self").has_value();
  for (auto& pid : pids) {
    auto process = all_digits(pid) ? look_at(host, pid) : std::nullopt;
    if (!process || !is_login(*process, pid)) continue;
    auto uid = login_uid(host, pid);
    if (uid || !kept) people.insert(names.of(uid.value_or(process->uid)));
  }
}

/// utmp is a row of fixed records. Stale ones are common, so the process must still be there.
void add_from_utmp(const Host& host, const std::string& records, std::set<std::string>& people) {
  for (std::size_t at = 0; at + sizeof(utmpx) <= records.size(); at += sizeof(utmpx)) {
    utmpx entry;
    std::memcpy(&entry, records.data() + at, sizeof entry);
    std::string user(entry.ut_user, ::strnlen(entry.ut_user, sizeof entry.ut_user));
    if (entry.ut_type == USER_PROCESS && !user.empty() && host.files.exists("/proc/" + std::to_string(entry.ut_pid))) people.insert(user);
  }
}

std::string joined(const std::set<std::string>& names) {
  std::string out;
  for (auto& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

Answer host_users(const Host& host) {
  auto processes = host.files.list("/proc");
  if (processes.error) return unreadable("/proc", processes.error);
  auto utmp = host.files.read("/var/run/utmp");
  Names names(host);
  std::set<std::string> people;
  add_from_processes(host, processes.names, names, people);
  add_from_utmp(host, utmp.text, people);
  people.erase(names.of(login_uid(host, "self").value_or(host.system.uid())));
  people.erase(names.of(host.system.uid()));
  auto n = static_cast<std::int64_t>(people.size());
  if (n > 0) return number(n, "logged in: " + joined(people));
  bool hidden = host.files.read("/proc/1/stat").error != 0;
  if (hidden) return unknown("/proc hides the processes of others");
  if (utmp.error && !absent(utmp.error)) return unreadable("/var/run/utmp", utmp.error);
  bool partly = initial_pid_namespace(host).is_false();
  return number(
      n, std::string("no session of another user") + (partly ? " in this pid namespace" : "") + (utmp.error ? " (there is no utmp)" : ""));
}

}  // namespace vt::probe
