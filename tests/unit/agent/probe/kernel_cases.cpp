#include <cerrno>

#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {
namespace {

void modular(Scene& s) {
  s.file("/proc/modules", "ext4 1 0 - Live 0x0\n").file("/proc/sys/kernel/modules_disabled", "0\n").folder("/lib/modules/6.8.0-45-generic");
}
void with_sudo(Scene& s) {
  s.login(1000).program("/usr/bin/sudo");
  s.system.sudo = [](System::Limit) { return 0; };
}
std::function<void(Scene&)> writable(int error) {
  return [error](Scene& s) { s.system.writable = [error](const std::string&) { return error; }; };
}
std::function<void(Scene&)> kmsg(int error, int log = EPERM) {
  return [=](Scene& s) {
    s.system.kernel_record = [error](const std::string&) { return error; };
    s.system.kernel_log = [log] { return log; };
  };
}

}  // namespace

std::vector<Case> kernel_cases() {
  return {
      {"SysctlYes", sysctl_write, [](Scene&) {}, "true", "/proc/sys/kernel/panic is writable"},
      {"SysctlReadOnlyMount", sysctl_write,
       [](Scene& s) {
         s.file("/proc/self/mountinfo", "21 1 0:5 / /proc rw - proc proc rw\n22 21 0:5 /sys /proc/sys ro,nosuid - proc proc rw\n");
       },
       "false", "/proc/sys is mounted read-only"},
      {"SysctlLaterMountCounts", sysctl_write,
       [](Scene& s) { s.file("/proc/self/mountinfo", "21 1 0:5 / /proc ro - proc proc rw\n22 1 0:5 / /proc rw - proc proc rw\n"); }, "true",
       "is writable"},
      {"SysctlDenied", sysctl_write, writable(EACCES), "false", "is not writable: Permission denied"},
      {"SysctlOther", sysctl_write, writable(EIO), "", "/proc/sys/kernel/panic: "},
      {"SysctlNoMountinfo", sysctl_write, [](Scene& s) { s.deny("/proc/self/mountinfo"); }, "", "/proc/self/mountinfo: "},
      {"SysctlProcNotMounted", sysctl_write, [](Scene& s) { s.file("/proc/self/mountinfo", "1 1 0:5 / / rw - ext4 x rw\n"); }, "",
       "/proc is not in"},

      {"DmesgRecord", dmesg_read, kmsg(0), "true", "a record of /dev/kmsg was read"},
      {"DmesgEmptyRing", dmesg_read, kmsg(EAGAIN), "true", "holds no record"},
      {"DmesgRestricted", dmesg_read,
       [](Scene& s) {
         kmsg(EPERM)(s);
         s.file("/proc/sys/kernel/dmesg_restrict", "1\n");
       },
       "false", "Operation not permitted (dmesg_restrict is 1)"},
      {"DmesgDenied", dmesg_read, kmsg(EACCES), "false", "/dev/kmsg: Permission denied"},
      {"DmesgThroughSyslog", dmesg_read, kmsg(ENOENT, 0), "true", "syslog(2)"},
      {"DmesgNoNodeNorRight", dmesg_read, kmsg(ENOENT, EPERM), "false", "no /dev/kmsg, and syslog(2): Operation not permitted"},
      {"DmesgConsoleInItsPlace", dmesg_read, kmsg(ENODEV, EPERM), "false", "is not the kernel log"},
      {"DmesgNoNodeNorCall", dmesg_read, kmsg(ENOENT, ENOSYS), "", "no /dev/kmsg, and syslog(2)"},
      {"DmesgBroken", dmesg_read, kmsg(EIO), "", "/dev/kmsg: "},

      {"KernelVersion", kernel_version, [](Scene&) {}, "\"6.8.0-45-generic\"", "uname -r"},
      {"KernelVersionUnknown", kernel_version, [](Scene& s) { s.system.release = [] { return ""; }; }, "", "uname failed"},

      {"ModulesYes", kernel_modules, modular, "true",
       "CapEff has CAP_SYS_MODULE; modules_disabled is 0; /lib/modules/6.8.0-45-generic exists"},
      {"ModulesThroughSudo", kernel_modules,
       [](Scene& s) {
         modular(s);
         with_sudo(s);
       },
       "true", "CapBnd has CAP_SYS_MODULE, and sudo works"},
      {"ModulesSudoBoundedByThePod", kernel_modules,
       [](Scene& s) {
         modular(s);
         with_sudo(s);
         s.status("CapBnd:\t00000000a80425fb");
       },
       "false", "CapBnd lacks CAP_SYS_MODULE"},
      {"ModulesPlainLogin", kernel_modules, [](Scene& s) { s.login(1000); }, "false", "CapEff lacks CAP_SYS_MODULE"},
      {"ModulesRootOfUserNamespace", kernel_modules,
       [](Scene& s) {
         modular(s);
         s.user_namespace();
       },
       "false", "in a user namespace"},
      {"ModulesNotInKernel", kernel_modules,
       [](Scene& s) {
         modular(s);
         s.remove("/proc/modules");
       },
       "false", "no loadable modules"},
      {"ModulesLocked", kernel_modules,
       [](Scene& s) {
         modular(s);
         s.file("/proc/sys/kernel/modules_disabled", "1\n");
       },
       "false", "kernel.modules_disabled is 1"},
      {"ModulesFolderMissing", kernel_modules,
       [](Scene& s) {
         modular(s);
         s.remove("/lib/modules");
       },
       "false", "no /lib/modules/6.8.0-45-generic"},
      {"ModulesLockUnreadable", kernel_modules,
       [](Scene& s) {
         modular(s);
         s.deny("/proc/sys/kernel/modules_disabled");
       },
       "", "/proc/sys/kernel/modules_disabled: "},
      {"ModulesCapsUnreadable", kernel_modules,
       [](Scene& s) {
         modular(s);
         s.deny("/proc/self/status");
       },
       "", "/proc/self/status: "},
      {"ModulesSudoHangs", kernel_modules,
       [](Scene& s) {
         modular(s);
         with_sudo(s);
         s.system.sudo = [](System::Limit) { return std::optional<int>(); };
       },
       "", "CapEff lacks CAP_SYS_MODULE, and `sudo -n true` gave no answer"},

      {"RebootYes", host_reboot, [](Scene&) {}, "true", "CapEff has CAP_SYS_BOOT; initial pid namespace"},
      {"RebootPidNamespace", host_reboot, [](Scene& s) { s.pid_namespace(); }, "false", "would only end the container"},
      {"RebootUserNamespace", host_reboot, [](Scene& s) { s.user_namespace(); }, "false", "in a user namespace"},
      {"RebootPlainLogin", host_reboot, [](Scene& s) { s.login(1000); }, "false", "CapEff lacks CAP_SYS_BOOT"},
      {"RebootSudo", host_reboot, with_sudo, "true", "CapBnd has CAP_SYS_BOOT, and sudo works"},
      {"RebootSudoAndSystemd", host_reboot,
       [](Scene& s) {
         with_sudo(s);
         s.status("CapBnd:\t00000000a80425fb");
       },
       "true", "sudo works and pid 1 is systemd"},
      {"RebootUnknown", host_reboot, [](Scene& s) { s.remove("/proc/self/ns/pid").file("/proc/self/ns/pid", ""); }, "",
       "/proc/self/ns/pid: "},
  };
}

}  // namespace vt::probe
