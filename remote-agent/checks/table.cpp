#include "remote-agent/checks/check.hpp"

#include <algorithm>

namespace vt::checks {

namespace {
/// Arguments become whole numbers of bytes or milliseconds, which must be able to hold them.
constexpr double kLargest = 1e12;

constexpr Entry kChecks[] = {
    {"clock.skew", clock_skew},
    {"cpu.verify", verify_cpu},
    {"disk.fsync", disk_fsync},
    {"disk.inventory", disk_inventory},
    {"disk.rand", disk_random},
    {"disk.seq", disk_sequential},
    {"disk.smart", disk_smart},
    {"cuda.binaries", gpu_binaries},
    {"cuda.features", nullptr, cuda_features},
    {"cuda.libs", gpu_libraries},
    {"cuda.native", nullptr, native_kernels},
    {"cuda.nvrtc", nullptr, nvrtc_kernels},
    {"cuda.ptx_jit", nullptr, ptx_kernels},
    {"disk.verify", verify_disk},
    {"drv.init", driver_init},
    {"drv.fabric", gpu_fabric},
    {"gpu.bar1", gpu_bar1},
    {"gpu.idle", gpu_idle},
    {"gpu.inventory", gpu_inventory},
    {"gpu.launch_latency", nullptr, launch_latency},
    {"gpu.limits", gpu_limits},
    {"gpu.memsize", gpu_memory_size},
    {"gpu.modes", gpu_modes},
    {"env.bad_vars", environment},
    {"health.dcgm", dcgm_diagnosis},
    {"health.inforom", gpu_inforom},
    {"health.recovery", gpu_recovery},
    {"health.state", gpu_state},
    {"health.xid_history", xid_history},
    {"nvlink.state", nvlink_state},
    {"pcie.acs_iommu", pcie_conditions},
    {"topo.matrix", topology_matrix},
    {"gemm.correct", nullptr, gemm_correct},
    {"gemm.rate", nullptr, gemm_rate},
    {"gemm.repeat", nullptr, gemm_repeat},
    {"gemm.spread", nullptr, nullptr, gemm_spread},
    {"sm.coverage", nullptr, sm_coverage},
    {"env.selftest", nullptr, prove_checkers},
    {"gmem.alloc", nullptr, take_all_memory},
    {"gmem.bandwidth", nullptr, memory_bandwidth},
    {"gmem.test", nullptr, test_memory},
    {"host.gpu_placement", gpu_placement},
    {"hostmem.bandwidth", host_bandwidth},
    {"hostmem.test", verify_memory},
    {"ib.ports", rdma_links},
    {"nccl.abort", nullptr, nccl_abort},
    {"nccl.collective", nullptr, nccl_collective},
    {"nccl.init", nullptr, nccl_init},
    {"nccl.latency", nullptr, nccl_latency},
    {"nccl.single_process", nullptr, nullptr, nccl_single_process},
    {"nccl.version", nullptr, nccl_version},
    {"net.links", net_links},
    {"net.pair", net_pair},
    {"links.integrity", nullptr, nullptr, links_integrity},
    {"p2p.bandwidth", nullptr, nullptr, p2p_bandwidth},
    {"p2p.integrity", nullptr, nullptr, p2p_integrity},
    {"p2p.latency", nullptr, nullptr, p2p_latency},
    {"pcie.all", nullptr, copy_on_all},
    {"pcie.bidir", nullptr, copy_both_ways},
    {"pcie.d2h", nullptr, copy_to_host},
    {"pcie.h2d", nullptr, copy_to_device},
    {"pcie.latency", nullptr, pcie_latency},
    {"pcie.link", nullptr, pcie_link},
    {"pcie.pageable", nullptr, copy_pageable},
    {"selftest.group", group},
    {"selftest.values", values},
    {"sleep", nap},
    {"train.ddp", nullptr, train_ddp},
    {"soak.burn", nullptr, soak_burn},
    {"soak.cooldown", soak_cooldown},
    {"train.smoke", nullptr, train_smoke},
    {"train.throughput", nullptr, train_throughput},
};
}  // namespace

const Entry* find(std::string_view name) {
  for (auto& entry : kChecks)
    if (entry.name == name) return &entry;
  return nullptr;
}

double Task::number(const char* name, double otherwise) const {
  auto at = args.find(name);
  return at != args.end() && at->is_number() ? std::clamp(at->get<double>(), -kLargest, kLargest) : otherwise;
}

std::string Task::text(const char* name) const {
  auto at = args.find(name);
  return at != args.end() && at->is_string() ? at->get<std::string>() : "";
}

bool Task::flag(const char* name) const {
  auto at = args.find(name);
  return at != args.end() && at->is_boolean() && at->get<bool>();
}

}  // namespace vt::checks
