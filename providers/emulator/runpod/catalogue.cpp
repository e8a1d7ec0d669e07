#include "providers/emulator/runpod/catalogue.hpp"

#include <algorithm>
#include <charconv>

namespace vt::emulator::runpod {

const char* text(Stock stock) {
  switch (stock) {
    case Stock::none: return "NONE";
    case Stock::low: return "LOW";
    case Stock::medium: return "MEDIUM";
    case Stock::high: return "HIGH";
  }
  return "NONE";
}

const std::vector<DataCenter>& data_centers() {
  static const std::vector<DataCenter> all = {{"US-KS-2", "US Kansas 2", "NORTH_AMERICA", "US", "13.0"},
                                              {"US-TX-3", "US Texas 3", "NORTH_AMERICA", "US", "12.8"},
                                              {"EU-RO-1", "EU Romania 1", "EUROPE", "RO", "13.0"},
                                              {"CA-MTL-3", "CA Montreal 3", "NORTH_AMERICA", "CA", "12.4"}};
  return all;
}

const std::vector<GpuKind>& gpu_kinds() {
  static const std::vector<GpuKind> all = {
      {"NVIDIA L4", "L4", "AMPERE_24", 24, 430'000, 0, 8, Stock::high, {"US-KS-2", "EU-RO-1", "US-TX-3"}},
      {"NVIDIA RTX A5000", "RTX A5000", "AMPERE_24", 24, 360'000, 270'000, 8, Stock::medium, {"EU-RO-1", "CA-MTL-3"}},
      {"NVIDIA GeForce RTX 4090", "RTX 4090", "ADA_24", 24, 690'000, 340'000, 8, Stock::high, {"US-KS-2", "EU-RO-1", "US-TX-3"}},
      {"NVIDIA GeForce RTX 5090", "RTX 5090", "ADA_32_PRO", 32, 890'000, 690'000, 8, Stock::medium, {"EU-RO-1", "US-KS-2"}},
      {"NVIDIA L40S", "L40S", "ADA_48_PRO", 48, 860'000, 790'000, 8, Stock::medium, {"US-KS-2", "US-TX-3"}},
      {"NVIDIA A100 80GB PCIe", "A100 PCIe", "AMPERE_80", 80, 1'390'000, 1'190'000, 8, Stock::medium, {"US-KS-2", "CA-MTL-3"}},
      {"NVIDIA H100 80GB HBM3", "H100 SXM", "ADA_80_PRO", 80, 2'690'000, 2'690'000, 8, Stock::low, {"US-KS-2", "EU-RO-1"}},
      {"NVIDIA B200", "B200", "BLACKWELL_180", 180, 5'980'000, 0, 8, Stock::none, {}},
      {"NVIDIA RTX PRO 6000 Blackwell Server Edition",
       "RTX PRO 6000",
       "BLACKWELL_96",
       96,
       1'790'000,
       1'690'000,
       8,
       Stock::high,
       {"US-KS-2", "EU-RO-1"}},
      {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
       "RTX PRO 6000 WK",
       "BLACKWELL_96",
       96,
       1'690'000,
       1'590'000,
       4,
       Stock::low,
       {"EU-RO-1"}}};
  return all;
}

const std::vector<CpuKind>& cpu_kinds() {
  static const std::vector<CpuKind> all = {{"cpu3c", "Compute-Optimized", "Gen 3", 2, 32, 2, 30'000},
                                           {"cpu5c", "Compute-Optimized", "Gen 5", 2, 32, 2, 35'000}};
  return all;
}

template <class T>
static const T* find(const std::vector<T>& all, const std::string& id) {
  auto found = std::find_if(all.begin(), all.end(), [&](const T& one) { return one.id == id; });
  return found == all.end() ? nullptr : &*found;
}

const DataCenter* find_center(const std::string& id) { return find(data_centers(), id); }
const GpuKind* find_gpu(const std::string& id) { return find(gpu_kinds(), id); }
const CpuKind* find_cpu(const std::string& id) { return find(cpu_kinds(), id); }

int cuda_number(const std::string& version) {
  int major = 0, minor = 0;
  auto end = version.data() + version.size();
  auto read = std::from_chars(version.data(), end, major);
  if (read.ec != std::errc()) return 0;
  if (read.ptr != end && (*read.ptr != '.' || std::from_chars(read.ptr + 1, end, minor).ptr != end)) return 0;
  return major * 1000 + minor;
}

}  // namespace vt::emulator::runpod
