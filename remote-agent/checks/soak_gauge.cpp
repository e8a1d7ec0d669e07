#include "remote-agent/checks/soak_gauge.hpp"

#include <algorithm>

namespace vt::checks {

using gpu::nvml::Functions;
using gpu::nvml::Nvml;

namespace {
/// nvmlTemperatureSensors_t, nvmlTemperatureThresholds_t
constexpr int kGpuSensor = 0, kSlowdown = 1;
constexpr int kNear = 5;  // C
}  // namespace

std::vector<Gauge> all_gauges() {
  std::vector<Gauge> out;
  auto opened = Nvml::open();
  if (!opened) return out;
  auto nvml = std::make_shared<Nvml>(std::move(opened).take());
  auto gpus = nvml->gpus();
  if (!gpus) return out;
  for (auto& gpu : *gpus)
    if (gpu) out.push_back(Gauge(nvml, *gpu));
  return out;
}

std::optional<Gauge> Gauge::find(const std::string& uuid) {
  for (auto& gauge : all_gauges())
    if (auto found = gauge.nvml_->text(&Functions::nvmlDeviceGetUUID, gauge.gpu_); found && *found == uuid) return gauge;
  return std::nullopt;
}

std::optional<unsigned> Gauge::temperature() const {
  auto celsius = nvml_->get<unsigned>(&Functions::nvmlDeviceGetTemperature, gpu_, kGpuSensor);
  return celsius ? std::optional(*celsius) : std::nullopt;
}

void Gauge::sample() {
  if (auto milliwatts = nvml_->get<unsigned>(&Functions::nvmlDeviceGetPowerUsage, gpu_)) watts_.push_back(*milliwatts / 1e3);
  hottest_ = std::max(hottest_, temperature().value_or(0));
}

nlohmann::json Gauge::told() const {
  auto out = nlohmann::json::object();
  if (!watts_.empty()) {
    auto sorted = watts_;
    std::sort(sorted.begin(), sorted.end());
    out["power_w"] = sorted[sorted.size() / 2];
    if (auto limit = nvml_->get<unsigned>(&Functions::nvmlDeviceGetEnforcedPowerLimit, gpu_); limit && *limit > 0)
      out["power_percent"] = 100 * sorted[sorted.size() / 2] / (*limit / 1e3);
  }
  if (hottest_ > 0) out["hottest_c"] = hottest_;
  auto slowdown = nvml_->get<unsigned>(&Functions::nvmlDeviceGetTemperatureThreshold, gpu_, kSlowdown);
  bool known = slowdown && hottest_ > 0;
  auto margin = known ? static_cast<int>(*slowdown) - static_cast<int>(hottest_) : 0;
  if (known) out["margin_c"] = margin;
  out["slowdown"] = !known ? "n/a" : margin >= kNear ? "ok" : std::to_string(margin) + " C below slowdown";
  return out;
}

}  // namespace vt::checks
