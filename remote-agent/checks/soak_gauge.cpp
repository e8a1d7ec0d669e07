#include "remote-agent/checks/soak_gauge.hpp"

#include <algorithm>

namespace vt::checks {

using gpu::nvml::Functions;
using gpu::nvml::Nvml;

namespace {
/// nvmlTemperatureSensors_t, nvmlTemperatureThresholds_t
constexpr int kGpuSensor = 0, kSlowdown = 1;
constexpr int kNear = 5;        // C
constexpr unsigned kWarm = 65;  // C; boards that stop their fans when idle start them below that
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

std::optional<int> Gauge::margin() const {
  gpu::nvml::Margin told;
  if (nvml_->call(&Functions::nvmlDeviceGetMarginTemperature, gpu_, &told) == 0) return told.celsius;
  auto slowdown = nvml_->get<unsigned>(&Functions::nvmlDeviceGetTemperatureThreshold, gpu_, kSlowdown);
  auto now = temperature();
  return slowdown && now ? std::optional(static_cast<int>(*slowdown) - static_cast<int>(*now)) : std::nullopt;
}

void Gauge::sample_fans() {
  if (fans_.empty()) fans_.resize(nvml_->get<unsigned>(&Functions::nvmlDeviceGetNumFans, gpu_).value_or(0));
  for (unsigned fan = 0; fan < fans_.size(); ++fan)
    fans_[fan] = std::max(fans_[fan], nvml_->get<unsigned>(&Functions::nvmlDeviceGetFanSpeed_v2, gpu_, fan).value_or(0));
}

void Gauge::sample() {
  if (auto milliwatts = nvml_->get<unsigned>(&Functions::nvmlDeviceGetPowerUsage, gpu_)) watts_.push_back(*milliwatts / 1e3);
  hottest_ = std::max(hottest_, temperature().value_or(0));
  if (auto left = margin()) least_margin_ = std::min(*left, least_margin_.value_or(*left));
  sample_fans();
}

std::string Gauge::fans_text() const {
  auto still = std::find(fans_.begin(), fans_.end(), 0U);
  if (fans_.empty()) return "n/a";
  if (still == fans_.end()) return "ok";
  auto at = std::to_string(hottest_) + " C";
  if (hottest_ < kWarm) return "n/a: no hotter than " + at;
  return "fan " + std::to_string(still - fans_.begin()) + " stands still at " + at;
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
  if (least_margin_) out["margin_c"] = *least_margin_;
  if (!fans_.empty()) out["fan_percent"] = *std::min_element(fans_.begin(), fans_.end());
  out["slowdown"] = !least_margin_ ? "n/a" : *least_margin_ >= kNear ? "ok" : std::to_string(*least_margin_) + " C below slowdown";
  out["fans"] = fans_text();
  return out;
}

}  // namespace vt::checks
