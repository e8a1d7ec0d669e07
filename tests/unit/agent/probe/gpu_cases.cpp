#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {
namespace {

const std::string kCapabilities = "/proc/driver/nvidia/capabilities";

void two_gpus(Scene& s) {
  s.gpu("0000:17:00.0").gpu("0000:65:00.0", "0x030000").gpu("0000:65:00.1", "0x040300");
}  // the last one is its sound device
void nodes(Scene& s, int n) {
  s.file("/dev/nvidiactl", "").file("/dev/nvidia-uvm", "").folder(kCapabilities);
  for (int i = 0; i < n; ++i) s.file("/dev/nvidia" + std::to_string(i), "").folder("/proc/driver/nvidia/gpus/" + std::to_string(i));
}
void host_with_two(Scene& s) {
  two_gpus(s);
  nodes(s, 2);
}
void mig(Scene& s) {
  host_with_two(s);
  for (auto instance : {"gi1/ci0", "gi2/ci0", "gi2/ci1"}) s.file(kCapabilities + "/gpu0/mig/" + instance + "/access", "");
}
std::function<void(Scene&)> pod(const std::string& visible, int device_nodes = 2) {
  return [=](Scene& s) {
    two_gpus(s);
    nodes(s, device_nodes);
    s.pid_namespace().file("/proc/1/environ", "A=b" + std::string(1, '\0') + "NVIDIA_VISIBLE_DEVICES=" + visible);
  };
}
void opens(Scene& s, int pid, const std::string& comm, const std::string& device) {
  s.process(pid, comm, 1000, pid, 0).link("/proc/" + std::to_string(pid) + "/fd/3", device);
}

}  // namespace

std::vector<Case> gpu_cases() {
  return {
      {"GpuTwo", gpu_physical, two_gpus, "2", "2 NVIDIA GPUs on PCI"},
      {"GpuNone", gpu_physical, [](Scene& s) { s.gpu("0000:00:02.0", "0x030000", "0x8086"); }, "0", "no PCI device of vendor 10de"},
      {"GpuNoPci", gpu_physical, [](Scene&) {}, "0", "no PCI device"},
      {"CapabilityOfTheLeast", gpu_capability,
       [](Scene& s) {
         two_gpus(s);
         s.file("/sys/bus/pci/devices/0000:17:00.0/device", "0x2b85\n").file("/sys/bus/pci/devices/0000:65:00.0/device", "0x2684\n");
       },
       "\"8.9\"", "says 0x2684"},
      {"CapabilityOfNoGpu", gpu_capability, [](Scene&) {}, "\"\"", "no PCI device"},
      {"CapabilityOfNewerGpus", gpu_capability,
       [](Scene& s) {
         two_gpus(s);
         s.file("/sys/bus/pci/devices/0000:17:00.0/device", "0x7f01\n");
       },
       "", "says 0x7f01"},
      {"GpuLostByTheDriver", gpu_physical,
       [](Scene& s) {
         two_gpus(s);
         nodes(s, 1);
       },
       "2", "the driver has 1"},
      {"GpuHiddenInSys", gpu_physical,
       [](Scene& s) {
         s.deny("/sys/bus/pci/devices");
         nodes(s, 1);
       },
       "1", "listed in /proc/driver/nvidia/gpus"},
      {"GpuMoreThanSysShows", gpu_physical, [](Scene& s) { nodes(s, 1); }, "1", "/sys shows only 0"},
      {"GpuUnreadable", gpu_physical, [](Scene& s) { s.deny("/sys/bus/pci/devices"); }, "", "/sys/bus/pci/devices: "},
      {"GpuVendorUnreadable", gpu_physical, [](Scene& s) { s.gpu("0000:17:00.0").deny("/sys/bus/pci/devices/0000:17:00.0/vendor"); }, "",
       "0000:17:00.0: "},
      {"GpuNoSys", gpu_physical, [](Scene& s) { s.remove("/sys"); }, "", "/sys/bus/pci/devices: "},

      {"LogicalTwo", gpu_logical, host_with_two, "2", "2 /dev/nvidia* device nodes"},
      {"LogicalNoneInAPodThatSeesThePci", gpu_logical, two_gpus, "0", "no /dev/nvidia* device nodes"},
      {"LogicalNoControlNode", gpu_logical,
       [](Scene& s) {
         host_with_two(s);
         s.remove("/dev/nvidiactl");
       },
       "0", "no /dev/nvidiactl"},
      {"LogicalMig", gpu_logical, mig, "4", "3 MIG devices"},
      {"LogicalPodAll", gpu_logical, pod("all"), "2", "NVIDIA_VISIBLE_DEVICES=all"},
      {"LogicalPodOneOfTwo", gpu_logical, pod("GPU-aaaa"), "1", "NVIDIA_VISIBLE_DEVICES=GPU-aaaa"},
      {"LogicalPodNone", gpu_logical, pod("none"), "0", "NVIDIA_VISIBLE_DEVICES=none"},
      {"LogicalPodListsMoreThanThereAre", gpu_logical, pod("0,1,2,3", 2), "2", "=0,1,2,3"},
      {"LogicalPodSameTwice", gpu_logical, pod("GPU-aaaa,GPU-aaaa", 1), "2", "GPU-aaaa,GPU-aaaa"},
      {"LogicalVariableOutsideContainersIsNothing", gpu_logical,
       [](Scene& s) {
         host_with_two(s);
         s.system.environment = [](const std::string&) { return "none"; };
       },
       "2", "2 /dev/nvidia* device nodes"},
      {"LogicalUnreadable", gpu_logical, [](Scene& s) { s.deny("/dev"); }, "", "/dev: "},

      {"MigYes", gpu_mig, mig, "true", "3 MIG devices"},
      {"MigNo", gpu_mig, host_with_two, "false", "no MIG device"},
      {"MigNoGpu", gpu_mig, [](Scene&) {}, "false", "no PCI device"},
      {"MigNoDriver", gpu_mig, two_gpus, "", "/proc/driver/nvidia/capabilities: "},

      {"TimeslicingNo", gpu_timeslicing, host_with_two, "false", "2 logical, 2 physical"},
      {"TimeslicingYes", gpu_timeslicing, [](Scene& s) { pod("GPU-aaaa,GPU-aaaa,GPU-aaaa", 1)(s); }, "true",
       "3 logical, 2 physical, no MIG"},
      {"TimeslicingIsNotMig", gpu_timeslicing, mig, "false", "4 logical, 2 physical, 3 MIG devices"},
      {"TimeslicingUnknown", gpu_timeslicing, [](Scene& s) { s.deny("/dev"); }, "", "/dev: "},

      {"ProcessesTwo", gpu_processes,
       [](Scene& s) {
         host_with_two(s);
         opens(s, 50, "python3", "/dev/nvidia1");
         opens(s, 51, "train", "/dev/nvidia-uvm");
         opens(s, 52, "editor", "/dev/nvidiactl");
         opens(s, 53, "nvidia-persiste", "/dev/nvidia0");
         opens(s, 54, "cat", "/srv/nvidia0");
       },
       "2", "2 processes with a GPU open"},
      {"ProcessesNone", gpu_processes, host_with_two, "0", "0 processes with a GPU open"},
      {"ProcessesNoGpu", gpu_processes, two_gpus, "0", "no /dev/nvidia* device nodes"},
      {"ProcessesSomeHiddenAndNoneFound", gpu_processes,
       [](Scene& s) {
         host_with_two(s);
         s.process(60, "other", 0, 60, 0).deny("/proc/60/fd");
       },
       "", "1 process may not be looked at"},
      {"ProcessesSomeHiddenButOneFound", gpu_processes,
       [](Scene& s) {
         host_with_two(s);
         opens(s, 50, "python3", "/dev/nvidia0");
         s.process(60, "other", 0, 60, 0).deny("/proc/60/fd");
       },
       "1", "at least 1 process with a GPU open"},
      {"ProcessesInAPod", gpu_processes, pod("all"), "0", "in this pid namespace"},
  };
}

}  // namespace vt::probe
