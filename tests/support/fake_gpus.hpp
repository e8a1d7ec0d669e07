#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "remote-agent/protocol/frames.hpp"
#include "tests/support/temp_dir.hpp"

namespace vt::test {

/// A host with NVIDIA GPUs that do not exist: a folder with doubles of libcuda, NVML, NVRTC and (where it is built) NCCL, which execute
/// our kernels on this processor, and gpus.json, which says what they show and what is wrong with them. The shipped agent runs
/// unchanged with `environment()`. What happened to a GPU stays, as on a real host: one that is lost is lost for later processes too. Stock
/// RTX 5090s: no peer access, no ECC, 64 MiB of memory left for a process.
///
/// The values can be edited as JSON until they are used. The host's: driver "580.95.05", cuda 13000, p2p [[bool]], nvml {mismatch, topology
/// (NVML level), p2p_status}. A GPU's: name, uuid, serial, pci "00000000:01:00.0", sm, multiprocessors, numa, memory_mib, free_mib (what a
/// process can allocate), l2_mib; copy_gbs, link_gbs, kernel_seconds {kernel: s} (modelled times, as events tell them; without them real
/// ones); lacks [pools | virtual | managed | cooperative] (what its attributes do not claim); nvml {power_w, power_limit_w,
/// power_default_w, temperature_c, shutdown_c, slowdown_c, gpu_max_c, margin_c (to slowdown; missing: not supported), fans_percent [44,
/// 44], sm_mhz, memory_mhz, max_sm_mhz, max_memory_mhz, throttle (bits), pcie_generation, pcie_width, pcie_max_generation, pcie_max_width,
/// pcie_replay, used_mib, bar1_mib, ecc (0 or 1; missing: not supported), ecc_pending, ecc_corrected, ecc_uncorrected, mig, persistence,
/// compute_mode, virtualization, remapped {corrected, uncorrected, pending, failed, banks [with all, many, some, few, no spare rows]},
/// retired_pages (count), retired_pending, nvlinks (count), nvlinks_down [link], nvlink_version, fabric_state, fields {"230": 0}, processes
/// [{pid, memory_mib}], vbios, inforom, inforom_valid, pstate, utilization}.
///
/// Faults as data, `faults: [{kind: …}]`: corrupt-p2p {gpu, to}, corrupt-copy {gpu, where: h2d | d2h | d2d | p2p}, wrong-element {gpu,
/// kernel, argument, offset, bit}, memory-flaw {gpu, offset, count, bit, value}, launch {gpu, code}, hang {gpu, where: launch | copy},
/// context-hang {gpu}, lost {gpu}, xid {gpu, code, after_ms}, ecc {gpu, where: corrected | uncorrected, count}, counter {gpu, where:
/// pcie_replay | nvlink_replay | nvlink_recovery | nvlink_crc_flit | nvlink_crc_data | nvlink_ecc_data | "field 215", count}, throttle
/// {gpu, code}, nvrtc, init {code}; all but the last take `after` as below. Without `gpu` every GPU has it. Those of NCCL:
/// tests/doubles/nccl.
class FakeGpus {
 public:
  explicit FakeGpus(int count = 1, const std::string& model = "NVIDIA GeForce RTX 5090");

  /// As data: {count, model, each: {…}, gpu: {"0": {…}}, …}: `each` is laid over every GPU, `gpu` over one, the rest over the host.
  explicit FakeGpus(const nlohmann::json& what);

  nlohmann::json& host() { return host_; }
  nlohmann::json& gpu(int ordinal) { return host_["gpus"].at(static_cast<std::size_t>(ordinal)); }
  nlohmann::json& nvml(int ordinal) { return gpu(ordinal)["nvml"]; }
  void every_nvml(const std::string& key, const nlohmann::json& value);
  void all_p2p();  ///< every GPU reaches every other

  // Faults. `after`: so many occasions (launches, copies) go well before.
  void fault_corrupt_p2p(int from, int to, int after = 0);  ///< a byte of every copy between the two changes; success is returned
  void fault_corrupt_copy(int gpu, const std::string& direction, int after = 0);  ///< "h2d", "d2h", "d2d", "p2p"
  /// A bit of what parameter `argument` of the kernel points to flips after it ran.
  void fault_wrong_element(int gpu, const std::string& kernel, int argument, std::size_t byte = 0, int bit = 0, int after = 0);
  void fault_memory(int gpu, std::size_t offset, int bit, bool stuck_at);    ///< offset in the device's memory
  void fault_launch(int gpu, int code, int after = 0);                       ///< a CUresult, told asynchronously
  void fault_hang(int gpu, const std::string& in, int after = 0);            ///< "launch", "copy": its stream never ends
  void fault_context_hang(int gpu);                                          ///< creating a context never returns
  void fault_lost(int gpu, int after_launches);                              ///< falls off the bus: CUDA 999, NVML 15, XID 79
  void fault_xid(int gpu, int code, int after_launches, int after_ms = 0);   ///< after_ms: since somebody listens, instead
  void fault_ecc(int gpu, bool uncorrected, int count, int after_launches);  ///< counters rise; turns ECC on
  void fault_throttle(int gpu, unsigned bits);                               ///< bits of nvmlClocksEventReasons, all the time
  void fault_driver_mismatch();                                              ///< NVML 18 and CUDA 803
  void fault_nvrtc();                                                        ///< compiles nothing
  void fault(nlohmann::json what) { host_["faults"].push_back(std::move(what)); }
  void time_slice(int logical);  ///< so many CUDA devices on GPU 0

  /// The folder with the doubles; what was edited is written.
  const std::string& folder();
  /// With which an agent must be started to find them.
  std::map<std::string, std::string> environment();
  /// Runs a built-in check in the shipped agent to its result.
  protocol::JobResult check(const std::string& name, nlohmann::json args = nlohmann::json::object(), int deadline_ms = 8000);
  /// Its values, of which there must be some.
  nlohmann::json values(const std::string& name, nlohmann::json args = nlohmann::json::object(), int deadline_ms = 8000);

 private:
  TempDir folder_;
  nlohmann::json host_;
};

}  // namespace vt::test
