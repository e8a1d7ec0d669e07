#include "orchestrator/model/capability_ids.hpp"

namespace vt {

const std::vector<KnownCapability>& known_capabilities() {
  static const std::vector<KnownCapability> all{
      {"host.root", ValueType::boolean},
      {"host.sudo", ValueType::boolean},
      {"caps.effective", ValueType::text},
      {"caps.initial", ValueType::boolean},
      {"seccomp", ValueType::text},
      {"virt.container", ValueType::text},
      {"virt.vm", ValueType::text},
      {"host.bare_metal", ValueType::boolean},
      {"init.pid1", ValueType::text},
      {"init.systemd", ValueType::boolean},
      {"sysctl.write", ValueType::boolean},
      {"dmesg.read", ValueType::boolean},
      {"kernel.version", ValueType::version},
      {"kernel.modules", ValueType::boolean},
      {"host.reboot", ValueType::boolean},
      {"docker.daemon", ValueType::boolean},
      {"docker.gpu", ValueType::boolean},
      {"podman", ValueType::boolean},
      {"containers.nested", ValueType::boolean},
      {"kvm", ValueType::boolean},
      {"gpu", ValueType::integer},
      {"gpu.cc", ValueType::version},
      {"gpu.logical", ValueType::integer},
      {"gpu.mig", ValueType::boolean},
      {"gpu.timeslicing", ValueType::boolean},
      {"gpu.processes", ValueType::integer},
      {"gpu.p2p", ValueType::boolean},
      {"driver.version", ValueType::version},
      {"driver.modules", ValueType::text},
      {"driver.nvml", ValueType::version},
      {"driver.match", ValueType::boolean},
      {"lib.cuda", ValueType::version},
      {"lib.nvml", ValueType::version},
      {"lib.cublaslt", ValueType::version},
      {"lib.nccl", ValueType::version},
      {"lib.nvrtc", ValueType::version},
      {"lib.torch", ValueType::version},
      {"iommu", ValueType::text},
      {"numa.nodes", ValueType::integer},
      {"nvme", ValueType::integer},
      {"rdma", ValueType::integer},
      {"net.route", ValueType::boolean},
      {"net.internet", ValueType::boolean},
      {"pkg.manager", ValueType::text},
      {"lsm.selinux", ValueType::text},
      {"lsm.apparmor", ValueType::boolean},
      {"cgroup.version", ValueType::integer},
      {"cgroup.cpus", ValueType::number},
      {"cgroup.memory", ValueType::integer},
      {"cpu.count", ValueType::integer},
      {"memory", ValueType::integer},
      {"host.users", ValueType::integer},
      {"host.serial", ValueType::text},
      {"os.id", ValueType::text},
      {"secureboot", ValueType::boolean},
      {"image.build", ValueType::boolean},
  };
  return all;
}

std::optional<ValueType> capability_type(std::string_view id) {
  constexpr std::string_view tool = "tool.";
  if (id.substr(0, tool.size()) == tool && id.size() > tool.size()) return ValueType::boolean;
  for (auto& known : known_capabilities())
    if (known.id == id) return known.type;
  return std::nullopt;
}

}  // namespace vt
