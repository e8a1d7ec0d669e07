#pragma once
#include <optional>
#include <string>

namespace vt::gcp {

/// An accelerator that is attached to a machine: "nvidia-tesla-t4:1" in plans. Only n1 machines take one.
struct Accelerator {
  std::string type;
  int count = 1;
  bool operator==(const Accelerator&) const = default;
};

/// What the name of a machine type says, by Compute Engine's lists of GPU machine types and of disks per machine series (2026-10).
struct Machine {
  std::string name, family;     ///< "g4-standard-48", "g4"
  bool brings_gpu = false;      ///< the GPU is part of the type and must not be asked for again
  int gpus = 0;                 ///< whole GPUs that it brings; 0 for those with a fraction of one
  std::string gpu_metric;       ///< regional quota: "NVIDIA_L4_GPUS"; spot has one of the same name with PREEMPTIBLE_ before it
  std::string cpu_metric;       ///< empty: its vCPUs count against no quota
  std::string disk_type;        ///< the boot disk that fits
  bool hyperdisk_only = false;  ///< takes no Persistent Disk
};
Machine machine_of(const std::string& type);
/// Quota of an attached accelerator: "nvidia-tesla-t4" -> "NVIDIA_T4_GPUS".
std::string metric_of(const Accelerator&);

/// "us-central1" of "us-central1-b".
std::string region_of(const std::string& zone);

}  // namespace vt::gcp
