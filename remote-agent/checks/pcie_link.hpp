#pragma once
#include <algorithm>
#include <optional>
#include <string>

#include "remote-agent/gpu/device.hpp"
#include "remote-agent/gpu/nvml.hpp"

namespace vt::checks {

/// A PCIe link's generation and number of lanes, now and at most. They are lowered when nothing is copied, so only what is read under
/// load counts. "At most" is what NVML says that GPU and slot can do together.
struct PcieLink {
  unsigned generation = 0, width = 0, max_generation = 0, max_width = 0;
  /// GB/s in one direction: transfers a second x lanes x the code's share, as PCI-SIG states them: 2.5 and 5 GT/s with 8b/10b, 8, 16 and
  /// 32 GT/s with 128b/130b, 64 GT/s with flits of 256 bytes of which 242 carry packets (PCIe 6.0). Packet headers not deducted.
  [[nodiscard]] double gb_s() const;
  [[nodiscard]] std::string text() const;             ///< "gen 5 x16, at most gen 5 x16"
  [[nodiscard]] std::string generation_lack() const;  ///< "ok", or "generation 3 of 5"
  /// "ok", or "width 8 of 16". A virtual machine's slot, and a board that splits its lanes, make this a matter of course.
  [[nodiscard]] std::string width_lack() const;
};

/// Reads the link of one GPU. Of the processor there is none.
class PcieLinkReader {
 public:
  static Result<PcieLinkReader> of(const gpu::DeviceInfo&);
  Result<PcieLink> read() const;

 private:
  PcieLinkReader(gpu::nvml::Nvml nvml, gpu::nvml::Handle gpu) : nvml_(nvml), gpu_(gpu) {}
  gpu::nvml::Nvml nvml_;
  gpu::nvml::Handle gpu_;
};

/// The best that a link was seen at while something was copied.
class PcieLinkWatch {
 public:
  explicit PcieLinkWatch(const gpu::DeviceInfo& device) : reader_(PcieLinkReader::of(device)) {}
  void look();
  [[nodiscard]] int looks() const { return looks_; }
  /// Why it could not be read, if it could not.
  [[nodiscard]] const Result<PcieLink>& best() const { return best_; }

 private:
  Result<PcieLinkReader> reader_;
  Result<PcieLink> best_ = fail(Errc::not_found, "not looked at");
  int looks_ = 0;
};

}  // namespace vt::checks
