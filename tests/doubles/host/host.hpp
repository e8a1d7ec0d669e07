#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// The host that the doubles of NVIDIA's libraries pretend to be on: `gpus.json` in the folder from which the double was loaded.
/// tests/support/fake_gpus.hpp writes it and is where its keys are explained.
namespace vt::doubles {

/// Something that is wrong with the host. Which members mean something depends on the kind.
struct Fault {
  std::string kind;
  int gpu = -1;  ///< ordinal; -1: any
  int to = -1;   ///< the other GPU
  std::string where, kernel;
  int argument = 0, bit = 0, value = 1, code = 0;
  std::uint64_t offset = 0, count = 1;
  std::uint64_t after = 0;  ///< how often it does not strike before it does
  std::int64_t after_ms = 0;
};

struct Gpu {
  std::string name, uuid, serial, pci;  ///< pci: "00000000:01:00.0"
  int sm = 120, multiprocessors = 170, numa = -1;
  std::uint64_t memory = 0, free = 0, l2 = 0;  ///< bytes; `free` is what a process can have
  /// Modelled times as events tell them, for tests of what is made of a figure: rates of the copy engines within the device and between
  /// it and others or the host, GB/s, and seconds per launch of a kernel. 0 or missing: as fast as this processor is.
  double copy_gbs = 0, link_gbs = 0;
  std::map<std::string, double> kernel_seconds;
  std::set<std::string> lacks;  ///< features that the device does not claim to have
  nlohmann::json nvml = nlohmann::json::object();
};

struct Host {
  std::string driver = "580.95.05";
  int cuda = 13000;  ///< as cuDriverGetVersion tells it
  std::vector<Gpu> gpus;
  std::vector<std::vector<bool>> p2p;  ///< [from][to]
  std::vector<Fault> faults;
  nlohmann::json nvml = nlohmann::json::object();
};

const Host& host();

/// The fault of this kind that strikes now, of those that match. Each call counts as one occasion for those that match.
const Fault* strikes(std::string_view kind, const std::function<bool(const Fault&)>& matches);
/// The first of this kind for this GPU, without counting.
const Fault* fault(std::string_view kind, int gpu);

/// What the processes that use a GPU share: `gpus.state` beside the configuration; of this process alone where that cannot be written.
struct GpuState {
  std::atomic<std::uint64_t> launches{0};
  std::atomic<std::uint32_t> lost{0};
};
constexpr int kMostGpus = 64;
GpuState& state(int gpu);

/// The folder from which this library was loaded.
const std::string& folder();

}  // namespace vt::doubles
