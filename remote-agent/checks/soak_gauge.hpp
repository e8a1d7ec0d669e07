#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/gpu/nvml.hpp"

namespace vt::checks {

/// Power, temperature and fans of one GPU, read through NVML while it works.
class Gauge {
 public:
  /// nullopt: there is no NVML, or it does not know the GPU.
  static std::optional<Gauge> find(const std::string& uuid);
  void sample();
  /// power_w (median), power_percent (of the enforced limit), hottest_c, margin_c (the least that was left to the temperature at which the
  /// GPU slows down: as NVML tells it, on older GPUs from the threshold), fan_percent (of the slowest fan at its fastest); what the GPU
  /// does not tell is left out. Always there: slowdown, "ok", "3 C below slowdown" where less than 5 C are left, "n/a" where it cannot be
  /// told; fans, "ok", "fan 1 stands still at 78 C", "n/a" for a board without fans, "n/a: …" for one too cool to need them. NVML knows at
  /// what speed a fan should turn: one that is blocked is told by the temperature only.
  [[nodiscard]] nlohmann::json told() const;
  /// Degrees Celsius now; nullopt: not to be had.
  [[nodiscard]] std::optional<unsigned> temperature() const;

 private:
  Gauge(std::shared_ptr<gpu::nvml::Nvml> nvml, gpu::nvml::Handle gpu) : nvml_(std::move(nvml)), gpu_(gpu) {}
  friend std::vector<Gauge> all_gauges();
  std::shared_ptr<gpu::nvml::Nvml> nvml_;
  gpu::nvml::Handle gpu_;
  [[nodiscard]] std::optional<int> margin() const;
  void sample_fans();
  [[nodiscard]] std::string fans_text() const;
  std::vector<double> watts_;
  unsigned hottest_ = 0;
  std::optional<int> least_margin_;
  std::vector<unsigned> fans_;  ///< percent, the most of each
};

/// Of every GPU that NVML shows; empty without NVML.
std::vector<Gauge> all_gauges();

/// How waiting for cooler GPUs went.
struct Cooled {
  bool cool = false;                ///< at the target, or the warmest has stopped cooling
  unsigned began = 0, celsius = 0;  ///< of the warmest; 0: none tells its temperature
  std::int64_t waited_ms = 0;
};
/// Waits until none of them is warmer than `target` C or the warmest loses no degree for 20 s, at most `most_ms`.
Cooled cool_down(const std::vector<Gauge>& gauges, unsigned target, std::int64_t most_ms, Reporter& report);

}  // namespace vt::checks
