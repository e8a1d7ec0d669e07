#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {
namespace {

const std::string kDockerCaps = "00000000a80425fb";  // what Docker gives a container's root

std::optional<int> no_answer(System::Limit) { return std::nullopt; }

}  // namespace

std::vector<Case> caps_cases() {
  return {
      {"RootYes", host_root, [](Scene&) {}, "true", "uid 0"},
      {"RootNo", host_root, [](Scene& s) { s.login(1000); }, "false", "uid 1000"},
      {"RootOfUserNamespace", host_root, [](Scene& s) { s.user_namespace(); }, "true",
       "but only in a user namespace: uid_map is '0 1000 1'"},
      {"RootPerhaps", host_root, [](Scene& s) { s.deny("/proc/self/uid_map"); }, "true", "perhaps only of a user namespace"},

      {"SudoAsRoot", host_sudo, [](Scene&) {}, "true", "uid 0"},
      {"SudoWorks", host_sudo,
       [](Scene& s) {
         s.login(1000).program("/usr/bin/sudo");
         s.system.sudo = [](System::Limit) { return 0; };
       },
       "true", "`sudo -n true` works"},
      {"SudoRefuses", host_sudo, [](Scene& s) { s.login(1000).program("/usr/bin/sudo"); }, "false", "ends with status 1"},
      {"SudoMissing", host_sudo, [](Scene& s) { s.login(1000); }, "false", "sudo is in none of the 2 folders on PATH"},
      {"SudoHangs", host_sudo,
       [](Scene& s) {
         s.login(1000).program("/usr/bin/sudo");
         s.system.sudo = no_answer;
       },
       "", "no answer in time"},

      {"CapsSome", caps_effective, [](Scene& s) { s.status("CapEff:\t0000000000200001"); }, R"(["CAP_CHOWN","CAP_SYS_ADMIN"])",
       "CapEff 0000000000200001"},
      {"CapsNone", caps_effective, [](Scene& s) { s.login(1000); }, "[]", "CapEff 0000000000000000"},
      {"CapsNewerKernel", caps_effective, [](Scene& s) { s.status("CapEff:\t0000020000000000"); }, R"(["CAP_41"])", "CapEff"},
      {"CapsUnreadable", caps_effective, [](Scene& s) { s.deny("/proc/self/status"); }, "", "/proc/self/status: "},
      {"CapsGarbage", caps_effective, [](Scene& s) { s.status("CapEff:\tzz"); }, "", "CapEff is 'zz'"},
      {"CapsNoLine", caps_effective, [](Scene& s) { s.file("/proc/self/status", "Name:\tx\n"); }, "", "has no CapEff"},

      {"InitialYes", caps_initial, [](Scene&) {}, "true", "uid_map is the identity"},
      {"InitialNo", caps_initial, [](Scene& s) { s.user_namespace(); }, "false", "uid_map is '0 1000 1'"},
      {"InitialIdentityMapOfAnother", caps_initial, [](Scene& s) { s.link("/proc/self/ns/user", "user:[4026532999]"); }, "false",
       "user:[4026532999]"},
      {"InitialNoNamespaces", caps_initial, [](Scene& s) { s.remove("/proc/self/uid_map").remove("/proc/self/ns/user"); }, "true",
       "no user namespaces"},
      {"InitialUnreadable", caps_initial, [](Scene& s) { s.deny("/proc/self/uid_map"); }, "", "/proc/self/uid_map: "},
      {"InitialNoProc", caps_initial, [](Scene& s) { s.remove("/proc"); }, "", "/proc/self/uid_map: "},

      {"SeccompNone", seccomp, [](Scene&) {}, "\"none\"", "Seccomp: 0"},
      {"SeccompStrict", seccomp, [](Scene& s) { s.status("Seccomp:\t1"); }, "\"strict\"", "Seccomp: 1"},
      {"SeccompFilter", seccomp, [](Scene& s) { s.status("Seccomp:\t2"); }, "\"filter\"", "Seccomp: 2"},
      {"SeccompNotInKernel", seccomp, [](Scene& s) { s.file("/proc/self/status", "Name:\tx\n"); }, "\"none\"", "no seccomp"},
      {"SeccompNew", seccomp, [](Scene& s) { s.status("Seccomp:\t7"); }, "", "Seccomp: 7"},
      {"SeccompUnreadable", seccomp, [](Scene& s) { s.deny("/proc/self/status"); }, "", "/proc/self/status: "},

      {"PodRootCannotLoadModules", kernel_modules, [](Scene& s) { s.status("CapEff:\t" + kDockerCaps); }, "false",
       "CapEff lacks CAP_SYS_MODULE"},
      {"PodRootCannotReboot", host_reboot, [](Scene& s) { s.status("CapEff:\t" + kDockerCaps); }, "false", "CapEff lacks CAP_SYS_BOOT"},
  };
}

}  // namespace vt::probe
