#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {
namespace {

void in_container(Scene& s) { s.pid_namespace(); }
void dmi(Scene& s, const std::string& name, const std::string& text) { s.file("/sys/class/dmi/id/" + name, text + "\n"); }
void hypervisor_flag(Scene& s) { s.file("/proc/cpuinfo", "flags\t\t: fpu hypervisor\n"); }
void arm(Scene& s) { s.file("/proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n"); }

}  // namespace

std::vector<Case> virt_cases() {
  return {
      {"ContainerNot", virt_container, [](Scene&) {}, "\"\"", "no sign of a container"},
      {"ContainerManagerFile", virt_container, [](Scene& s) { s.file("/run/host/container-manager", "systemd-nspawn\n"); },
       "\"systemd-nspawn\"", "says"},
      {"ContainerSystemd", virt_container, [](Scene& s) { s.file("/run/systemd/container", "lxc\n"); }, "\"lxc\"",
       "/run/systemd/container"},
      {"ContainerEnvironment", virt_container, [](Scene& s) { s.file("/proc/1/environ", std::string("A=b\0container=podman\0", 21)); },
       "\"podman\"", "pid 1 has"},
      {"ContainerPodmanMakesBothMarkers", virt_container,
       [](Scene& s) {
         in_container(s);
         s.file("/run/.containerenv", "").file("/.dockerenv", "");
       },
       "\"podman\"", "/run/.containerenv"},
      {"ContainerDocker", virt_container,
       [](Scene& s) {
         in_container(s);
         s.file("/.dockerenv", "");
       },
       "\"docker\"", "/.dockerenv"},
      {"ContainerMarkerLeftInABootedImage", virt_container, [](Scene& s) { s.file("/.dockerenv", ""); }, "\"\"", "initial pid"},
      {"ContainerOfKubernetes", virt_container, [](Scene& s) { s.file("/proc/1/cgroup", "0::/kubepods/burstable/pod1/abc\n"); },
       "\"kubernetes\"", "kubepods"},
      {"ContainerDockerServiceIsNone", virt_container, [](Scene& s) { s.file("/proc/1/cgroup", "0::/system.slice/docker.service\n"); },
       "\"\"", "no sign"},
      {"ContainerOverlayRoot", virt_container,
       [](Scene& s) {
         in_container(s);
         s.file("/proc/self/mountinfo", "30 1 0:40 / / rw - overlay overlay rw,lowerdir=/x\n");
       },
       "\"oci\"", "not the initial pid namespace"},
      {"ContainerJustNamespaces", virt_container, [](Scene& s) { s.user_namespace(); }, "\"namespace\"", "in a user namespace"},
      {"ContainerUnreadable", virt_container, [](Scene& s) { s.remove("/proc/self/ns/pid").file("/proc/self/ns/pid", ""); }, "",
       "/proc/self/ns/pid"},

      {"VmNot", virt_vm, [](Scene& s) { dmi(s, "sys_vendor", "Dell Inc."); }, "\"\"", "no hypervisor"},
      {"VmBySignature", virt_vm, [](Scene& s) { s.system.hypervisor = [] { return "KVMKVMKVM"; }; }, "\"kvm\"",
       "CPUID signature KVMKVMKVM"},
      {"VmByFlag", virt_vm, hypervisor_flag, "\"other\"", "hypervisor flag"},
      {"VmGoogle", virt_vm,
       [](Scene& s) {
         hypervisor_flag(s);
         dmi(s, "product_name", "Google Compute Engine");
       },
       "\"google\"", "DMI product_name is Google Compute Engine"},
      {"VmAmazonBareMetal", virt_vm, [](Scene& s) { dmi(s, "sys_vendor", "Amazon EC2"); }, "\"\"", "no hypervisor"},
      {"VmQemuThatHidesTheFlag", virt_vm, [](Scene& s) { dmi(s, "sys_vendor", "QEMU"); }, "\"qemu\"", "DMI sys_vendor is QEMU"},
      {"VmUnreadable", virt_vm, [](Scene& s) { s.deny("/proc/cpuinfo"); }, "", "/proc/cpuinfo: "},
      {"VmArmKvm", virt_vm,
       [](Scene& s) {
         arm(s);
         s.file("/proc/device-tree/hypervisor/compatible", "linux,kvm");
       },
       "\"kvm\"", "device tree"},
      {"VmArmMetal", virt_vm,
       [](Scene& s) {
         arm(s);
         dmi(s, "sys_vendor", "Amazon EC2");
         dmi(s, "product_name", "m7g.metal");
       },
       "\"\"", "m7g.metal"},
      {"VmArmAmazon", virt_vm,
       [](Scene& s) {
         arm(s);
         dmi(s, "sys_vendor", "Amazon EC2");
       },
       "\"amazon\"", "Amazon EC2"},
      {"VmArmNothingToLookAt", virt_vm, arm, "", "neither DMI nor a device tree"},

      {"BareMetalYes", host_bare_metal, [](Scene&) {}, "true", "no sign of a container; the processor reports no hypervisor"},
      {"BareMetalNoContainer", host_bare_metal, in_container, "false", "not the initial pid namespace"},
      {"BareMetalNoVm", host_bare_metal, hypervisor_flag, "false", "hypervisor flag"},
      {"BareMetalVmThoughContainerUnknown", host_bare_metal,
       [](Scene& s) {
         hypervisor_flag(s);
         s.remove("/proc/self/ns/pid").file("/proc/self/ns/pid", "");
       },
       "false", "hypervisor flag"},
      {"BareMetalUnknown", host_bare_metal, [](Scene& s) { s.deny("/proc/cpuinfo"); }, "", "/proc/cpuinfo: "},

      {"Pid1Systemd", init_pid1, [](Scene&) {}, "\"systemd\"", "pid 1 is systemd"},
      {"Pid1Sshd", init_pid1, [](Scene& s) { s.file("/proc/1/comm", "sshd\n"); }, "\"sshd\"", "pid 1 is sshd"},
      {"Pid1Hidden", init_pid1, [](Scene& s) { s.remove("/proc/1"); }, "", "/proc/1/comm: "},

      {"SystemdYes", init_systemd, [](Scene&) {}, "true", "pid 1 is systemd"},
      {"SystemdNo", init_systemd, [](Scene& s) { s.file("/proc/1/comm", "sshd\n"); }, "false", "pid 1 is sshd"},
      {"SystemdOfTheHostMountedIntoAPod", init_systemd, [](Scene& s) { s.file("/proc/1/comm", "bash\n"); }, "false", "pid 1 is bash"},
      {"SystemdOnlyByName", init_systemd, [](Scene& s) { s.remove("/run/systemd"); }, "false", "there is no /run/systemd/system"},
      {"SystemdUnreadable", init_systemd, [](Scene& s) { s.deny("/proc/1/comm"); }, "", "/proc/1/comm: "},
      {"SystemdFolderUnreadable", init_systemd, [](Scene& s) { s.deny("/run/systemd/system"); }, "", "/run/systemd/system: "},
  };
}

}  // namespace vt::probe
