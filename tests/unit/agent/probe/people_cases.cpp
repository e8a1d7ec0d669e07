#include <utmpx.h>

#include <algorithm>
#include <string_view>

#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {
namespace {

constexpr int kTerminal = 34816;

std::string utmp_record(short type, const std::string& user, int pid) {
  utmpx entry{};
  entry.ut_type = type;
  entry.ut_pid = pid;
  std::copy(user.begin(), user.end(), entry.ut_user);
  return {reinterpret_cast<const char*>(&entry), sizeof entry};
}

void passwd(Scene& s) {
  s.file("/etc/passwd", "root:x:0:0::/root:/bin/sh\nalice:x:1000:1000::/home/alice:/bin/sh\nbob:x:1001:1001::/home/bob:/bin/sh\n");
}
/// We are alice, logged in through sshd; the system keeps login uids.
void alice(Scene& s) {
  passwd(s);
  s.login(1000).file("/proc/self/loginuid", "1000");
  s.process(200, "sshd", 1000, 200, 0, "1000").process(201, "bash", 1000, 201, kTerminal, "1000");
}
std::function<void(Scene&)> alice_and(std::function<void(Scene&)> others) {
  return [=](Scene& s) {
    alice(s);
    others(s);
  };
}

}  // namespace

std::vector<Case> people_cases() {
  return {
      {"UsersNone", host_users, alice, "0", "no session of another user"},
      {"UsersOnATerminal", host_users, alice_and([](Scene& s) { s.process(300, "zsh", 1001, 300, kTerminal, "1001"); }), "1",
       "logged in: bob"},
      {"UsersThroughSshd", host_users, alice_and([](Scene& s) { s.process(300, "sshd-session", 1001, 300, 0, "1001"); }), "1", "bob"},
      {"UsersCountedOnce", host_users,
       alice_and([](Scene& s) { s.process(300, "zsh", 1001, 300, kTerminal, "1001").process(301, "zsh", 1001, 301, kTerminal, "1001"); }),
       "1", "bob"},
      {"UsersSudoToRootIsStillBob", host_users, alice_and([](Scene& s) { s.process(300, "bash", 0, 300, kTerminal, "1001"); }), "1", "bob"},
      {"UsersUnnamed", host_users, alice_and([](Scene& s) { s.process(300, "bash", 5000, 300, kTerminal, "5000"); }), "1", "uid 5000"},
      {"UsersGettyIsNobody", host_users, alice_and([](Scene& s) { s.process(300, "agetty", 0, 300, kTerminal); }), "0", "no session"},
      {"UsersContainerTerminalIsNobody", host_users, alice_and([](Scene& s) { s.process(300, "bash", 0, 300, kTerminal); }), "0",
       "no session"},
      {"UsersCronJobIsNobody", host_users, alice_and([](Scene& s) { s.process(300, "backup", 1001, 300, 0, "1001"); }), "0", "no session"},
      {"UsersBracketsInAName", host_users, alice_and([](Scene& s) { s.process(300, "a) b (c", 1001, 300, kTerminal, "1001"); }), "1",
       "bob"},
      {"UsersWithoutLoginUids", host_users,
       [](Scene& s) {
         passwd(s);
         s.process(300, "bash", 1001, 300, kTerminal);
       },
       "1", "bob"},
      {"UsersFromUtmp", host_users, alice_and([](Scene& s) {
         s.process(300, "login", 0, 300, 0);
         s.file("/var/run/utmp",
                utmp_record(BOOT_TIME, "reboot", 1) + utmp_record(USER_PROCESS, "bob", 300) + utmp_record(USER_PROCESS, "alice", 201));
       }),
       "1", "bob"},
      {"UsersStaleUtmp", host_users, alice_and([](Scene& s) { s.file("/var/run/utmp", utmp_record(USER_PROCESS, "bob", 999)); }), "0",
       "no session"},
      {"UsersInAPod", host_users, alice_and([](Scene& s) { s.pid_namespace(); }), "0", "in this pid namespace"},
      {"UsersProcessesHidden", host_users, alice_and([](Scene& s) { s.remove("/proc/1"); }), "", "hides the processes"},
      {"UsersUtmpUnreadable", host_users, alice_and([](Scene& s) { s.deny("/var/run/utmp"); }), "", "/var/run/utmp: "},
      {"UsersNoProc", host_users, [](Scene& s) { s.deny("/proc"); }, "", "/proc: "},
  };
}

}  // namespace vt::probe
