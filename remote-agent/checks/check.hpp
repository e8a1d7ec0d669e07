#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "remote-agent/gpu/device.hpp"

/// The checks built into the agent. Each runs in a worker process of its own: it may block, crash or be killed at its
/// deadline. It measures and never judges.
namespace vt::checks {

/// What a check is asked to do.
struct Task {
  nlohmann::json args = nlohmann::json::object();
  std::string group;
  int rank = 0, world = 1;
  std::int64_t deadline_ms = 10'000;
  /// An argument of the check; the default if it is missing or of another type.
  [[nodiscard]] double number(const char* name, double otherwise) const;
  [[nodiscard]] std::string text(const char* name) const;
  [[nodiscard]] bool flag(const char* name) const;
  /// args.device is "cpu": the processor stands in for the GPUs, and sizes shrink to what it can do in the time.
  [[nodiscard]] bool on_cpu() const { return text("device") == "cpu"; }
};

/// What it measured, or why it could not.
struct Outcome {
  nlohmann::json values = nlohmann::json::object();
  std::string device;
  std::string error;
};

/// Exit status of a GPU's process that ends itself because its device does not come back from what it said last by progress():
/// fan_out takes it for a hang of that GPU.
constexpr int kHung = 75;

/// How a check speaks while it runs.
class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void progress(const std::string& text, double fraction) = 0;
  virtual void metric(const std::string& name, double value, const std::string& unit, const std::string& device) = 0;
  /// Hands opaque base64 text to every other rank of the group.
  virtual void publish(const std::string& key, const std::string& base64) = 0;
  /// Waits for what another rank publishes under `key`; nullopt when the task's deadline has passed or the orchestrator is gone.
  virtual std::optional<std::string> await(const std::string& key) = 0;
};

/// One of `run`, `on_gpu` and `on_gpus` is set.
struct Entry {
  std::string_view name;
  Outcome (*run)(const Task&, Reporter&) = nullptr;  ///< touches no GPU
  /// Runs once for every GPU, in a process of its own each, all at the same time unless args.one_by_one; rank and world count the
  /// GPUs (of all hosts of a group). Outcome values of the GPUs become lists, one entry per GPU; see remote-agent/fan_out.hpp.
  Outcome (*on_gpu)(const Task&, gpu::Device&, Reporter&) = nullptr;
  /// Runs once, in one process that has all GPUs open.
  Outcome (*on_gpus)(const Task&, gpu::Devices&, Reporter&) = nullptr;
};
/// nullptr if there is no such check.
const Entry* find(std::string_view name);

Outcome values(const Task&, Reporter&);         ///< selftest.values
Outcome group(const Task&, Reporter&);          ///< selftest.group
Outcome nap(const Task&, Reporter&);            ///< sleep
Outcome environment(const Task&, Reporter&);    ///< env.bad_vars
Outcome clock_skew(const Task&, Reporter&);     ///< clock.skew
Outcome verify_cpu(const Task&, Reporter&);     ///< cpu.verify
Outcome verify_memory(const Task&, Reporter&);  ///< hostmem.test
Outcome verify_disk(const Task&, Reporter&);    ///< disk.verify

Outcome gpu_inventory(const Task&, Reporter&);    ///< gpu.inventory
Outcome gpu_memory_size(const Task&, Reporter&);  ///< gpu.memsize
Outcome gpu_modes(const Task&, Reporter&);        ///< gpu.modes
Outcome gpu_limits(const Task&, Reporter&);       ///< gpu.limits
Outcome gpu_idle(const Task&, Reporter&);         ///< gpu.idle
Outcome gpu_bar1(const Task&, Reporter&);         ///< gpu.bar1
Outcome gpu_state(const Task&, Reporter&);        ///< health.state
Outcome gpu_recovery(const Task&, Reporter&);     ///< health.recovery
Outcome gpu_inforom(const Task&, Reporter&);      ///< health.inforom
Outcome dcgm_diagnosis(const Task&, Reporter&);   ///< health.dcgm
Outcome xid_history(const Task&, Reporter&);      ///< health.xid_history
Outcome nvlink_state(const Task&, Reporter&);     ///< nvlink.state
Outcome gpu_fabric(const Task&, Reporter&);       ///< drv.fabric
Outcome topology_matrix(const Task&, Reporter&);  ///< topo.matrix
Outcome pcie_conditions(const Task&, Reporter&);  ///< pcie.acs_iommu

Outcome driver_init(const Task&, Reporter&);                   ///< drv.init
Outcome gpu_libraries(const Task&, Reporter&);                 ///< cuda.libs
Outcome gpu_binaries(const Task&, Reporter&);                  ///< cuda.binaries
Outcome native_kernels(const Task&, gpu::Device&, Reporter&);  ///< cuda.native
Outcome nvrtc_kernels(const Task&, gpu::Device&, Reporter&);   ///< cuda.nvrtc
Outcome ptx_kernels(const Task&, gpu::Device&, Reporter&);     ///< cuda.ptx_jit
Outcome cuda_features(const Task&, gpu::Device&, Reporter&);   ///< cuda.features
Outcome launch_latency(const Task&, gpu::Device&, Reporter&);  ///< gpu.launch_latency

Outcome host_bandwidth(const Task&, Reporter&);   ///< hostmem.bandwidth
Outcome gpu_placement(const Task&, Reporter&);    ///< host.gpu_placement
Outcome disk_sequential(const Task&, Reporter&);  ///< disk.seq
Outcome disk_random(const Task&, Reporter&);      ///< disk.rand
Outcome disk_fsync(const Task&, Reporter&);       ///< disk.fsync
Outcome disk_smart(const Task&, Reporter&);       ///< disk.smart
Outcome disk_inventory(const Task&, Reporter&);   ///< disk.inventory
Outcome net_links(const Task&, Reporter&);        ///< net.links
Outcome net_pair(const Task&, Reporter&);         ///< net.pair
Outcome rdma_links(const Task&, Reporter&);       ///< ib.ports

Outcome gemm_correct(const Task&, gpu::Device&, Reporter&);      ///< gemm.correct
Outcome gemm_rate(const Task&, gpu::Device&, Reporter&);         ///< gemm.rate
Outcome gemm_repeat(const Task&, gpu::Device&, Reporter&);       ///< gemm.repeat
Outcome gemm_spread(const Task&, gpu::Devices&, Reporter&);      ///< gemm.spread
Outcome sm_coverage(const Task&, gpu::Device&, Reporter&);       ///< sm.coverage
Outcome train_smoke(const Task&, gpu::Device&, Reporter&);       ///< train.smoke
Outcome train_throughput(const Task&, gpu::Device&, Reporter&);  ///< train.throughput
Outcome soak_burn(const Task&, gpu::Device&, Reporter&);         ///< soak.burn
Outcome soak_cooldown(const Task&, Reporter&);                   ///< soak.cooldown

Outcome memory_bandwidth(const Task&, gpu::Device&, Reporter&);      ///< gmem.bandwidth
Outcome test_memory(const Task&, gpu::Device&, Reporter&);           ///< gmem.test
Outcome take_all_memory(const Task&, gpu::Device&, Reporter&);       ///< gmem.alloc
Outcome copy_to_device(const Task&, gpu::Device&, Reporter&);        ///< pcie.h2d
Outcome copy_to_host(const Task&, gpu::Device&, Reporter&);          ///< pcie.d2h
Outcome copy_both_ways(const Task&, gpu::Device&, Reporter&);        ///< pcie.bidir
Outcome copy_pageable(const Task&, gpu::Device&, Reporter&);         ///< pcie.pageable
Outcome copy_on_all(const Task&, gpu::Device&, Reporter&);           ///< pcie.all
Outcome pcie_link(const Task&, gpu::Device&, Reporter&);             ///< pcie.link
Outcome pcie_latency(const Task&, gpu::Device&, Reporter&);          ///< pcie.latency
Outcome links_integrity(const Task&, gpu::Devices&, Reporter&);      ///< links.integrity
Outcome p2p_integrity(const Task&, gpu::Devices&, Reporter&);        ///< p2p.integrity
Outcome p2p_bandwidth(const Task&, gpu::Devices&, Reporter&);        ///< p2p.bandwidth
Outcome p2p_latency(const Task&, gpu::Devices&, Reporter&);          ///< p2p.latency
Outcome links_of_one(const Task&, gpu::Device&, Reporter&);          ///< links.integrity within one device
Outcome nccl_version(const Task&, gpu::Device&, Reporter&);          ///< nccl.version
Outcome nccl_init(const Task&, gpu::Device&, Reporter&);             ///< nccl.init
Outcome nccl_collective(const Task&, gpu::Device&, Reporter&);       ///< nccl.collective
Outcome nccl_latency(const Task&, gpu::Device&, Reporter&);          ///< nccl.latency
Outcome nccl_abort(const Task&, gpu::Device&, Reporter&);            ///< nccl.abort
Outcome nccl_single_process(const Task&, gpu::Devices&, Reporter&);  ///< nccl.single_process
Outcome train_ddp(const Task&, gpu::Device&, Reporter&);             ///< train.ddp
Outcome verify_collective(const Task&, gpu::Device&, Reporter&);     ///< what verifies them, on one device

Outcome prove_checkers(const Task&, gpu::Device&, Reporter&);  ///< env.selftest

}  // namespace vt::checks
