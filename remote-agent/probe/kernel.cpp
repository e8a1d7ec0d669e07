#include <cerrno>

#include "remote-agent/probe/probes.hpp"
#include "remote-agent/probe/words.hpp"

namespace vt::probe {
namespace {

constexpr int kSysModule = 16, kSysBoot = 22;

/// Options of the mount that covers /proc/sys; later mounts hide earlier ones.
Answer proc_sys_mount(const Host& host) {
  const std::string path = "/proc/self/mountinfo";
  auto mounts = host.files.read(path);
  if (mounts.error) return unreadable(path, mounts.error);
  std::string point, options;
  for (auto& line : lines(mounts.text)) {
    auto fields = words(line);
    if (fields.size() < 6 || (fields[4] != "/proc" && fields[4] != "/proc/sys")) continue;
    if (fields[4].size() >= point.size()) point = fields[4], options = "," + fields[5] + ",";
  }
  if (point.empty()) return unknown("/proc is not in " + path);
  if (options.find(",ro,") != std::string::npos) return no(point + " is mounted read-only");
  return yes(point + " is mounted writable");
}

Answer read_through_syslog(const Host& host, const std::string& why_not_kmsg) {
  int error = host.system.kernel_log();
  if (error == 0) return yes("the kernel log was read with syslog(2)");
  if (error == EPERM || error == EACCES) return no(why_not_kmsg + ", and syslog(2): " + why(error));
  return unknown(why_not_kmsg + ", and syslog(2): " + why(error));
}

Answer modules_enabled(const Host& host) {
  const std::string list = "/proc/modules", lock = "/proc/sys/kernel/modules_disabled";
  if (int error = host.files.look(list); error) {
    bool proc = host.files.exists("/proc/self/status");
    return absent(error) && proc ? no("the kernel has no loadable modules (no " + list + ")") : unreadable(list, error);
  }
  auto disabled = host.files.read(lock);
  if (disabled.error) return unreadable(lock, disabled.error);
  return disabled.text == "0" ? yes("modules_disabled is 0") : no("kernel.modules_disabled is " + disabled.text);
}

Answer modules_folder(const Host& host) {
  auto folder = "/lib/modules/" + host.system.release();
  int error = host.files.look(folder);
  if (absent(error)) return no("no " + folder);
  return error ? unreadable(folder, error) : yes(folder + " exists");
}

/// The first that says no; else the first that does not know; else yes with all their evidence.
Answer all_of(const std::vector<Answer>& answers) {
  for (auto& a : answers)
    if (a.is_false()) return a;
  std::string evidence;
  for (auto& a : answers) {
    if (!a.known()) return a;
    evidence += (evidence.empty() ? "" : "; ") + a.evidence;
  }
  return yes(evidence);
}

}  // namespace

Answer sysctl_write(const Host& host) {
  auto mount = proc_sys_mount(host);
  if (!mount.is_true()) return mount;
  const std::string sample = "/proc/sys/kernel/panic";  // any that exists everywhere; it is only looked at
  int error = host.system.writable(host.files.real(sample));
  if (error == 0) return yes(sample + " is writable");
  if (error == EACCES || error == EPERM || error == EROFS) return no(sample + " is not writable: " + why(error));
  return unreadable(sample, error);
}

Answer dmesg_read(const Host& host) {
  const std::string path = "/dev/kmsg";
  int error = host.system.kernel_record(host.files.real(path));
  if (error == 0) return yes("a record of /dev/kmsg was read");
  if (error == EAGAIN) return yes("/dev/kmsg opens; it holds no record");
  if (absent(error)) return read_through_syslog(host, "no /dev/kmsg");
  if (error == ENODEV) return read_through_syslog(host, "/dev/kmsg is not the kernel log");
  if (error != EPERM && error != EACCES) return unreadable(path, error);
  auto restricted = host.files.read("/proc/sys/kernel/dmesg_restrict");
  return no("/dev/kmsg: " + why(error) + (restricted.text == "1" ? " (dmesg_restrict is 1)" : ""));
}

Answer kernel_version(const Host& host) {
  auto release = host.system.release();
  return release.empty() ? unknown("uname failed") : text(release, "uname -r");
}

Answer kernel_modules(const Host& host) {
  return all_of({has_capability(host, kSysModule, "CAP_SYS_MODULE"), modules_enabled(host), modules_folder(host)});
}

Answer host_reboot(const Host& host) {
  auto pids = initial_pid_namespace(host), right = has_capability(host, kSysBoot, "CAP_SYS_BOOT");
  if (pids.is_false()) return no(pids.evidence + ": reboot would only end the container");
  bool through_systemd = right.is_false() && host.system.uid() != 0 && host_sudo(host).is_true() && init_systemd(host).is_true();
  if (through_systemd && caps_initial(host).is_true()) right = yes("sudo works and pid 1 is systemd");
  return all_of({right, pids});
}

}  // namespace vt::probe
