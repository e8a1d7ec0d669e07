#include "remote-agent/checks/pcie_link.hpp"

#include <array>

namespace vt::checks {

namespace {
using gpu::nvml::Functions;

/// GT/s times what the line code leaves, over 8 bits: GB/s of one lane.
constexpr std::array<double, 7> kLane{
    0, 2.5 * 8 / 10 / 8, 5.0 * 8 / 10 / 8, 8.0 * 128 / 130 / 8, 16.0 * 128 / 130 / 8, 32.0 * 128 / 130 / 8, 64.0 * 242 / 256 / 8};

std::string lack_of(const char* what, unsigned now, unsigned most) {
  return now >= most ? "ok" : what + (" " + std::to_string(now)) + " of " + std::to_string(most);
}
}  // namespace

double PcieLink::gb_s() const { return generation < kLane.size() ? kLane.at(generation) * width : 0; }

std::string PcieLink::text() const {
  auto one = [](unsigned g, unsigned w) { return "gen " + std::to_string(g) + " x" + std::to_string(w); };
  return one(generation, width) + " of at most " + one(max_generation, max_width);
}

std::string PcieLink::generation_lack() const { return lack_of("generation", generation, max_generation); }
std::string PcieLink::width_lack() const { return lack_of("width", width, max_width); }

Result<PcieLinkReader> PcieLinkReader::of(const gpu::DeviceInfo& device) {
  if (device.is_cpu()) return fail(Errc::not_found, "the processor has no PCIe link");
  VT_TRY(auto nvml, gpu::nvml::Nvml::open());
  VT_TRY(auto gpus, nvml.gpus());
  for (auto& gpu : gpus) {
    if (!gpu) continue;
    auto uuid = nvml.text(&Functions::nvmlDeviceGetUUID, *gpu);
    if (uuid && *uuid == device.uuid) return PcieLinkReader(nvml, *gpu);
  }
  return fail(Errc::not_found, "NVML does not know " + device.uuid);
}

Result<PcieLink> PcieLinkReader::read() const {
  PcieLink out;
  VT_TRY(out.generation, nvml_.get<unsigned>(&Functions::nvmlDeviceGetCurrPcieLinkGeneration, gpu_));
  VT_TRY(out.width, nvml_.get<unsigned>(&Functions::nvmlDeviceGetCurrPcieLinkWidth, gpu_));
  VT_TRY(out.max_generation, nvml_.get<unsigned>(&Functions::nvmlDeviceGetMaxPcieLinkGeneration, gpu_));
  VT_TRY(out.max_width, nvml_.get<unsigned>(&Functions::nvmlDeviceGetMaxPcieLinkWidth, gpu_));
  return out;
}

void PcieLinkWatch::look() {
  auto now = [&]() -> Result<PcieLink> {
    if (!reader_) return fail(reader_.error());
    return reader_->read();
  }();
  ++looks_;
  if (!best_ || (now && now->gb_s() > best_->gb_s())) best_ = std::move(now);
}

}  // namespace vt::checks
