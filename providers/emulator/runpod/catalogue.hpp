#pragma once
#include <cstdint>
#include <string>
#include <vector>

// What the emulated RunPod has to rent. Names and prices are of RunPod's documentation and of public reports, July to October 2026;
// what is in stock where is made up, and always the same.
namespace vt::emulator::runpod {

enum class Stock { none, low, medium, high };
const char* text(Stock);

struct DataCenter {
  const char *id, *name, *region, *country;
  const char* cuda;  ///< the newest that the drivers there offer
};

struct GpuKind {
  const char *id, *name, *pool;
  int memory_gb;
  std::int64_t secure, community;  ///< micro-dollars per hour; 0: not in that cloud
  int most;                        ///< GPUs in one pod
  Stock stock;
  std::vector<const char*> centers;  ///< that have it
};

struct CpuKind {
  const char *id, *name, *group;
  int least, most;  ///< vCPUs
  double gb_per_vcpu;
  std::int64_t vcpu;  ///< micro-dollars per hour and vCPU
};

constexpr std::int64_t kDiskMonth = 100'000;                               ///< micro-dollars per GB of a running pod's container disk
constexpr std::int64_t kVolumeMonth = 70'000, kLargeVolumeMonth = 50'000;  ///< per GB of a network volume, below 1 TB and above
constexpr std::int64_t kHoursPerMonth = 730;

const std::vector<DataCenter>& data_centers();
const std::vector<GpuKind>& gpu_kinds();
const std::vector<CpuKind>& cpu_kinds();
const DataCenter* find_center(const std::string& id);
const GpuKind* find_gpu(const std::string& id);
const CpuKind* find_cpu(const std::string& id);
/// "12.8" as 12008; 0 if it is no version. "12" is 12000.
int cuda_number(const std::string& version);

}  // namespace vt::emulator::runpod
