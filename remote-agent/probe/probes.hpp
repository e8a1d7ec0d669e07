#pragma once
#include "remote-agent/probe/host.hpp"

/// One function per capability; docs/capabilities.md says what each means.
namespace vt::probe {

// caps.cpp: what this login may do
Answer host_root(const Host&);
Answer host_sudo(const Host&);
Answer caps_effective(const Host&);
Answer caps_initial(const Host&);
Answer seccomp(const Host&);
/// Has this login the capability in the initial user namespace, directly or through sudo?
Answer has_capability(const Host&, int bit, const std::string& name);

// virt.cpp
Answer virt_container(const Host&);
Answer virt_vm(const Host&);
Answer host_bare_metal(const Host&);

// init.cpp
Answer init_pid1(const Host&);
Answer init_systemd(const Host&);
Answer initial_pid_namespace(const Host&);

// kernel.cpp
Answer sysctl_write(const Host&);
Answer dmesg_read(const Host&);
Answer kernel_version(const Host&);
Answer kernel_modules(const Host&);
Answer host_reboot(const Host&);

// containers.cpp
Answer docker_daemon(const Host&);
Answer docker_gpu(const Host&);
Answer podman(const Host&);
Answer containers_nested(const Host&);
Answer kvm(const Host&);

// gpu.cpp
Answer gpu_physical(const Host&);
Answer gpu_capability(const Host&);
Answer gpu_logical(const Host&);
Answer gpu_mig(const Host&);
Answer gpu_timeslicing(const Host&);
Answer gpu_processes(const Host&);

// driver.cpp
Answer driver_version(const Host&);
Answer driver_modules(const Host&);
/// NVML's answers; initialised only where that loads nothing and makes no device node.
Nvml ask_nvml(const Host&);

Answer gpu_p2p(const Host&);
Answer driver_nvml(const Host&);
Answer driver_match(const Host&);

// libraries.cpp
Answer lib_cuda(const Host&);
Answer lib_nvml(const Host&);
Answer lib_cublaslt(const Host&);
Answer lib_nccl(const Host&);
Answer lib_nvrtc(const Host&);
Answer lib_torch(const Host&);

// hardware.cpp
Answer iommu(const Host&);
Answer numa_nodes(const Host&);
Answer nvme(const Host&);
Answer rdma(const Host&);
Answer host_serial(const Host&);
Answer secureboot(const Host&);

// net.cpp
Answer net_route(const Host&);
Answer net_internet(const Host&);

// os.cpp
Answer os_id(const Host&);
Answer pkg_manager(const Host&);
Answer lsm_selinux(const Host&);
Answer lsm_apparmor(const Host&);

// limits.cpp
Answer cgroup_version(const Host&);
Answer cgroup_cpus(const Host&);
Answer cgroup_memory(const Host&);
Answer cpu_count(const Host&);
Answer memory(const Host&);

// people.cpp
Answer host_users(const Host&);

// tools.cpp
Answer tool(const Host&, const std::string& name);

}  // namespace vt::probe
