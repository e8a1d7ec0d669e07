#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vt::gpu {

/// A GPU while something ran on it.
struct GpuReport {
  std::string uuid, pci;
  std::string health;     ///< what is wrong with it; empty: nothing
  std::string of_a_kill;  ///< that too, unless a process on it was killed: Findings::of_a_kill
  /// power_w, temperature_c, sm_mhz, memory_mhz ({min, mean, max}), throttled_s ({reason: s}), pcie ({generation, width,
  /// max_generation, max_width}, as under load), links (what LinkErrors tells, by its names), notes (list of texts: corrected errors,
  /// warnings). What could not be read is left out.
  nlohmann::json telemetry;
};
struct MonitorReport {
  std::vector<GpuReport> gpus;
  std::string trouble;  ///< why nothing is known about them: "NVML error 18: …"; empty if all went well
};

/// Watches every GPU of this host through NVML in a thread of its own, five samples a second. Reads only. A GPU that fell off the
/// bus may hold NVML up for ever: then that thread is left behind, and the report says so.
class Monitor {
 public:
  using Trace = std::function<void(const std::string& name, double value, const std::string& unit, const std::string& uuid)>;
  /// `trace`, if given, is called once a second and GPU from that thread, until finish().
  explicit Monitor(Trace trace = nullptr);
  Monitor(const Monitor&) = delete;
  ~Monitor();

  /// Events are listened to and counters read, or it is known that they cannot be. Ask before the first CUDA context is made: NVML
  /// keeps no history.
  [[nodiscard]] bool ready() const;
  /// Asks the GPUs again and ends. `late_ms`: how long to wait for errors that are told late, after something was lost.
  MonitorReport finish(std::int64_t deadline_ms, std::int64_t late_ms = 0);

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace vt::gpu
