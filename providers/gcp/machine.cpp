#include "providers/gcp/machine.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>

#include "orchestrator/model/text.hpp"

namespace vt::gcp {

namespace {

/// GPU quota by machine type; the first pattern that fits counts.
struct GpuRow {
  const char* machines;
  const char* metric;
};
constexpr GpuRow kGpus[] = {
    {"g4-*", "NVIDIA_RTX_PRO_6000_GPUS"},
    {"g2-*", "NVIDIA_L4_GPUS"},
    {"a2-ultragpu-*", "NVIDIA_A100_80GB_GPUS"},
    {"a2-*", "NVIDIA_A100_GPUS"},
    {"a3-ultragpu-*", "NVIDIA_H200_GPUS"},
    {"a3-megagpu-*", "NVIDIA_H100_MEGA_GPUS"},
    {"a3-*", "NVIDIA_H100_GPUS"},
    {"a4-*", "NVIDIA_B200_GPUS"},
};

/// vCPU quotas of series that have one of their own; all others count against CPUS.
constexpr std::array<std::string_view, 9> kOwnCpuQuota{"n2", "n2d", "c2", "c2d", "c3", "t2d", "t2a", "m1", "m3"};
constexpr std::array<std::string_view, 6> kHyperdiskOnly{"g4", "c4", "n4", "a4", "h3", "m4"};

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// G4 and G2 have a table (smaller G4 types carry a fraction of a GPU); the A series say it at the end: a3-highgpu-8g.
int gpus_of(const std::string& type) {
  static const std::map<std::string, int> table{{"g4-standard-48", 1},  {"g4-standard-96", 2}, {"g4-standard-192", 4},
                                                {"g4-standard-384", 8}, {"g2-standard-4", 1},  {"g2-standard-8", 1},
                                                {"g2-standard-12", 1},  {"g2-standard-16", 1}, {"g2-standard-32", 1},
                                                {"g2-standard-24", 2},  {"g2-standard-48", 4}, {"g2-standard-96", 8}};
  if (auto it = table.find(type); it != table.end()) return it->second;
  if (!glob_match("a?-*-*g", type)) return 0;
  auto digits = std::string_view(type).substr(type.rfind('-') + 1);
  digits.remove_suffix(1);
  int count = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return error == std::errc{} && end == digits.data() + digits.size() && count > 0 && count <= 16 ? count : 0;
}

}  // namespace

Machine machine_of(const std::string& type) {
  Machine machine;
  machine.name = type;
  machine.family = type.substr(0, type.find('-'));
  machine.gpus = gpus_of(type);
  for (auto& row : kGpus) {
    if (!glob_match(row.machines, type)) continue;
    machine.brings_gpu = true;
    machine.gpu_metric = row.metric;
    break;
  }
  bool own = std::find(kOwnCpuQuota.begin(), kOwnCpuQuota.end(), machine.family) != kOwnCpuQuota.end();
  if (!machine.brings_gpu) machine.cpu_metric = own ? upper(machine.family) + "_CPUS" : "CPUS";
  machine.hyperdisk_only = std::find(kHyperdiskOnly.begin(), kHyperdiskOnly.end(), machine.family) != kHyperdiskOnly.end();
  machine.disk_type = machine.hyperdisk_only ? "hyperdisk-balanced" : "pd-balanced";
  return machine;
}

std::string metric_of(const Accelerator& accelerator) {
  std::string_view kind = accelerator.type;
  for (std::string_view prefix : {"nvidia-tesla-", "nvidia-"})
    if (kind.starts_with(prefix)) {
      kind.remove_prefix(prefix.size());
      break;
    }
  auto metric = "NVIDIA_" + upper(std::string(kind)) + "_GPUS";
  std::replace(metric.begin(), metric.end(), '-', '_');
  return metric;
}

std::string region_of(const std::string& zone) { return zone.substr(0, zone.rfind('-')); }

}  // namespace vt::gcp
