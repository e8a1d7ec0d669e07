#include "providers/container/backend.hpp"

#include <unistd.h>

#include <fstream>

#include "orchestrator/model/text.hpp"
#include "providers/container/process.hpp"

namespace vt {

namespace {

/// A setting below /proc/sys, or `otherwise` where the kernel has none of that name.
long sysctl(const std::string& path, long otherwise) {
  std::ifstream in("/proc/sys/" + path);
  long value = otherwise;
  in >> value;
  return in ? value : otherwise;
}

}  // namespace

const std::vector<std::string>& pod_capabilities() {
  static const std::vector<std::string> names{"chown",   "dac_override",     "fowner",  "fsetid",     "kill",  "setgid",      "setuid",
                                              "setpcap", "net_bind_service", "net_raw", "sys_chroot", "mknod", "audit_write", "setfcap"};
  return names;
}

std::vector<const Backend*> backends() { return {&kRunc, &kBwrap, &kUnshare}; }

Status try_backend(const Backend& backend) {
  VT_TRY(std::vector<std::string> command, backend.trial());
  VT_TRY(Finished done, run_program(command, Deadline::after(std::chrono::seconds(10))));
  if (done.exit_code == 0) return {};
  return fail(Errc::refused, printable(join(split(done.output, '\n'), "; ")));
}

std::string user_namespaces_refused() {
  if (sysctl("kernel/unprivileged_userns_clone", 1) == 0) return "kernel.unprivileged_userns_clone = 0";
  if (sysctl("user/max_user_namespaces", 1) == 0) return "user.max_user_namespaces = 0";
  if (sysctl("kernel/apparmor_restrict_unprivileged_userns", 0) == 1) return "kernel.apparmor_restrict_unprivileged_userns = 1";
  return "";
}

std::vector<std::string> with_pod_capabilities(const std::vector<std::string>& command) {
  std::vector<std::string> out{"setpriv", "--bounding-set=-all,+" + join(pod_capabilities(), ",+"), "--inh-caps=-all",
                               "--ambient-caps=-all"};
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

}  // namespace vt
