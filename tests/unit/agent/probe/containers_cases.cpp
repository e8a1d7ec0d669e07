#include <cerrno>

#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {
namespace {

/// A daemon that answers /_ping, and /info as told.
std::function<void(Scene&)> docker(Http info) {
  return [info](Scene& s) {
    s.system.http = [info](const std::string&, const std::string& target, System::Limit) {
      return target == "/_ping" ? Http{0, 200, "OK"} : info;
    };
  };
}
std::function<void(Scene&)> socket(Http reply) {
  return [reply](Scene& s) { s.system.http = [reply](const std::string&, const std::string&, System::Limit) { return reply; }; };
}
std::function<void(Scene&)> namespaces(int error) {
  return [error](Scene& s) { s.system.namespaces = [error](System::Limit) { return error; }; };
}
std::function<void(Scene&)> kvm_answers(Kvm answer) {
  return [answer](Scene& s) {
    s.file("/dev/kvm", "").folder("/sys/devices/virtual/misc/kvm");
    s.system.kvm = [answer](const std::string&) { return answer; };
  };
}

}  // namespace

std::vector<Case> containers_cases() {
  return {
      {"DockerYes", docker_daemon, docker({}), "true", "answers"},
      {"DockerNoSocket", docker_daemon, socket({ENOENT, 0, ""}), "false", "no /var/run/docker.sock"},
      {"DockerDenied", docker_daemon, socket({EACCES, 0, ""}), "false", "permission denied for this login"},
      {"DockerNobodyListens", docker_daemon, socket({ECONNREFUSED, 0, ""}), "false", "nobody listens"},
      {"DockerHangs", docker_daemon, socket({ETIMEDOUT, 0, ""}), "", "timed out"},
      {"DockerUnwell", docker_daemon, socket({0, 500, ""}), "", "HTTP 500"},

      {"DockerGpuRuntime", docker_gpu, docker({0, 200, R"({"Runtimes":{"runc":{},"nvidia":{}}})"}), "true", "the runtime nvidia"},
      {"DockerGpuDevice", docker_gpu,
       docker({0, 200, R"({"Runtimes":{"runc":{}},"DiscoveredDevices":[{"Source":"cdi","ID":"nvidia.com/gpu=0"}]})"}), "true",
       "nvidia.com/gpu=0"},
      {"DockerGpuDeviceFile", docker_gpu,
       [](Scene& s) {
         docker({0, 200, R"({"CDISpecDirs":["/etc/cdi"]})"})(s);
         s.file("/etc/cdi/nvidia.yaml", "");
       },
       "true", "/etc/cdi/nvidia.yaml"},
      {"DockerGpuNo", docker_gpu, docker({0, 200, R"({"Runtimes":{"runc":{}},"CDISpecDirs":["/etc/cdi"]})"}), "false", "neither"},
      {"DockerGpuNoDaemon", docker_gpu, socket({ENOENT, 0, ""}), "false", "no /var/run/docker.sock"},
      {"DockerGpuNotJson", docker_gpu, docker({0, 200, "<html>"}), "", "not a JSON object"},
      {"DockerGpuOddShapes", docker_gpu, docker({0, 200, R"({"Runtimes":[1],"DiscoveredDevices":[7,{"ID":3}],"CDISpecDirs":[null]})"}),
       "false", "neither"},
      {"DockerGpuInfoHangs", docker_gpu, docker({ETIMEDOUT, 0, ""}), "", "/info: "},
      {"DockerGpuInfoRefused", docker_gpu, docker({0, 403, ""}), "", "HTTP 403"},

      {"PodmanYes", podman, [](Scene& s) { s.program("/usr/bin/podman"); }, "true", "/usr/bin/podman"},
      {"PodmanNo", podman, [](Scene&) {}, "false", "podman is in none"},
      {"PodmanUnknown", podman, [](Scene& s) { s.deny("/usr/bin/podman"); }, "", "/usr/bin/podman: "},

      {"NestedYes", containers_nested, namespaces(0), "true", "were made"},
      {"NestedNo", containers_nested, namespaces(EPERM), "false", "Operation not permitted"},
      {"NestedSwitchedOff", containers_nested,
       [](Scene& s) {
         namespaces(ENOSPC)(s);
         s.file("/proc/sys/user/max_user_namespaces", "0\n");
       },
       "false", "max_user_namespaces is 0"},
      {"NestedAppArmor", containers_nested,
       [](Scene& s) {
         namespaces(EACCES)(s);
         s.file("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n");
       },
       "false", "AppArmor restricts"},
      {"NestedNotInKernel", containers_nested, namespaces(EINVAL), "false", "Invalid argument"},
      {"NestedHangs", containers_nested, namespaces(ETIMEDOUT), "", "timed out"},
      {"NestedOutOfMemory", containers_nested, namespaces(ENOMEM), "", "memory"},

      {"KvmYes", kvm, kvm_answers({0, 12}), "true", "speaks API 12; the processor has vmx"},
      {"KvmNoNode", kvm, [](Scene&) {}, "false", "no /dev/kvm"},
      {"KvmDenied", kvm, kvm_answers({EACCES, 0}), "false", "permission denied for this login"},
      {"KvmNothingBehindTheNode", kvm,
       [](Scene& s) {
         kvm_answers({0, 12})(s);
         s.remove("/sys/devices/virtual/misc/kvm");
       },
       "false", "no KVM module is loaded"},
      {"KvmOldApi", kvm, kvm_answers({0, 11}), "false", "API 11"},
      {"KvmWithoutProcessorSupport", kvm,
       [](Scene& s) {
         kvm_answers({0, 12})(s);
         s.file("/proc/cpuinfo", "flags\t\t: fpu sse\n");
       },
       "false", "neither VMX nor SVM"},
      {"KvmOnArm", kvm,
       [](Scene& s) {
         kvm_answers({0, 12})(s);
         s.file("/proc/cpuinfo", "Features\t: fp\n");
       },
       "true", "not an x86 processor"},
      {"KvmBusy", kvm, kvm_answers({EBUSY, 0}), "", "/dev/kvm: "},
      {"KvmFlagsUnreadable", kvm,
       [](Scene& s) {
         kvm_answers({0, 12})(s);
         s.deny("/proc/cpuinfo");
       },
       "", "/proc/cpuinfo: "},
      {"KvmNodeUnreadable", kvm, [](Scene& s) { s.deny("/dev/kvm"); }, "", "/dev/kvm: "},
  };
}

}  // namespace vt::probe
