#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "remote-agent/gpu/nvml.hpp"

namespace vt::checks {

/// Power and temperature of one GPU, read through NVML while it works.
class Gauge {
 public:
  /// nullopt: there is no NVML, or it does not know the GPU.
  static std::optional<Gauge> find(const std::string& uuid);
  void sample();
  /// power_w (median), power_percent (of the enforced limit), hottest_c, margin_c (to the temperature at which the hardware slows down);
  /// what the GPU does not tell is left out.
  [[nodiscard]] nlohmann::json told() const;
  /// Degrees Celsius now; nullopt: not to be had.
  [[nodiscard]] std::optional<unsigned> temperature() const;

 private:
  Gauge(std::shared_ptr<gpu::nvml::Nvml> nvml, gpu::nvml::Handle gpu) : nvml_(std::move(nvml)), gpu_(gpu) {}
  friend std::vector<Gauge> all_gauges();
  std::shared_ptr<gpu::nvml::Nvml> nvml_;
  gpu::nvml::Handle gpu_;
  std::vector<double> watts_;
  unsigned hottest_ = 0;
};

/// Of every GPU that NVML shows; empty without NVML.
std::vector<Gauge> all_gauges();

}  // namespace vt::checks
