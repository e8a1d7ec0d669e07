#include "remote-agent/probe/probe.hpp"

#include <memory>
#include <optional>

#include "remote-agent/probe/probes.hpp"
#include "remote-agent/probe/table.hpp"

namespace vt::probe {
namespace {

constexpr std::chrono::milliseconds kBudget{900};

/// The same answer again without asking again: several facts rest on one slow question.
template <class R, class... A>
std::function<R(A...)> once(std::function<R(A...)> ask) {
  auto kept = std::make_shared<std::optional<R>>();
  return [ask, kept](A... a) {
    if (!*kept) *kept = ask(a...);
    return **kept;
  };
}

std::string one_line(std::string text) {
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  return text;
}

System remembering(System system) {
  system.sudo = once(system.sudo);
  system.nvml = once(system.nvml);
  return system;
}

}  // namespace

const std::vector<Probe>& probes() {
  static const std::vector<Probe> table = {
      {"host.root", true, host_root},
      {"host.sudo", true, host_sudo},
      {"caps.effective", true, caps_effective},
      {"caps.initial", true, caps_initial},
      {"seccomp", true, seccomp},
      {"virt.container", false, virt_container},
      {"virt.vm", false, virt_vm},
      {"host.bare_metal", false, host_bare_metal},
      {"init.pid1", false, init_pid1},
      {"init.systemd", false, init_systemd},
      {"sysctl.write", true, sysctl_write},
      {"dmesg.read", true, dmesg_read},
      {"kernel.version", false, kernel_version},
      {"kernel.modules", true, kernel_modules},
      {"host.reboot", true, host_reboot},
      {"docker.daemon", true, docker_daemon},
      {"docker.gpu", true, docker_gpu},
      {"podman", false, podman},
      {"containers.nested", true, containers_nested},
      {"kvm", true, kvm},
      {"gpu", false, gpu_physical},
      {"gpu.cc", false, gpu_capability},
      {"gpu.logical", false, gpu_logical},
      {"gpu.mig", false, gpu_mig},
      {"gpu.timeslicing", false, gpu_timeslicing},
      {"gpu.processes", false, gpu_processes},
      {"gpu.p2p", false, gpu_p2p},
      {"driver.version", false, driver_version},
      {"driver.modules", false, driver_modules},
      {"driver.nvml", false, driver_nvml},
      {"driver.match", false, driver_match},
      {"lib.cuda", true, lib_cuda},
      {"lib.nvml", true, lib_nvml},
      {"lib.cublaslt", true, lib_cublaslt},
      {"lib.nccl", true, lib_nccl},
      {"lib.nvrtc", true, lib_nvrtc},
      {"lib.torch", true, lib_torch},
      {"iommu", false, iommu},
      {"numa.nodes", false, numa_nodes},
      {"nvme", false, nvme},
      {"rdma", false, rdma},
      {"net.route", false, net_route},
      {"net.internet", false, net_internet},
      {"pkg.manager", false, pkg_manager},
      {"lsm.selinux", false, lsm_selinux},
      {"lsm.apparmor", false, lsm_apparmor},
      {"cgroup.version", false, cgroup_version},
      {"cgroup.cpus", false, cgroup_cpus},
      {"cgroup.memory", false, cgroup_memory},
      {"cpu.count", false, cpu_count},
      {"memory", false, memory},
      {"host.users", false, host_users},
      {"host.serial", false, host_serial},
      {"os.id", false, os_id},
      {"secureboot", false, secureboot},
  };
  return table;
}

const std::vector<std::string_view>& tools() {
  static const std::vector<std::string_view> names = {"nvidia-smi", "docker",    "podman",      "nvcc",    "nvidia-ctk", "dmesg",
                                                      "journalctl", "systemctl", "timedatectl", "chronyc", "lspci",      "python3",
                                                      "fio",        "smartctl",  "ip",          "mokutil", "dpkg",       "sysctl",
                                                      "lsmod",      "git",       "curl",        "df",      "findmnt",    "dcgmi"};
  return names;
}

void probe_all(const Options& options, const System& system, const std::function<void(const Fact&)>& sink) {
  Host host{Files(options.root), remembering(system), options, std::chrono::steady_clock::now() + kBudget};
  for (auto& probe : probes()) {
    auto answer = probe.run(host);
    sink({std::string(probe.id), answer.value, one_line(answer.evidence), probe.login ? "login" : "host"});
  }
  for (auto name : tools()) {
    auto answer = tool(host, std::string(name));
    sink({"tool." + std::string(name), answer.value, one_line(answer.evidence), "host"});
  }
}

void probe_all(const Options& options, const std::function<void(const Fact&)>& sink) { probe_all(options, real_system(), sink); }

std::vector<Fact> probe_all(const Options& options) {
  std::vector<Fact> out;
  probe_all(options, [&](const Fact& fact) { out.push_back(fact); });
  return out;
}

}  // namespace vt::probe
