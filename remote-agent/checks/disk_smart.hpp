#pragma once
#include <array>
#include <cstdint>

namespace vt::checks {

/// The SMART / Health Information log page (02h) of an NVMe controller, as the bytes come.
using SmartPage = std::array<std::uint8_t, 512>;

struct Smart {
  unsigned critical_warning =
      0;  ///< bit 0 spare low, 1 temperature, 2 reliability degraded, 3 read-only, 4 backup of volatile memory failed
  int temperature_c = 0;
  unsigned spare_percent = 0, spare_threshold_percent = 0;
  unsigned used_percent = 0;  ///< of the life the maker promises; may pass 100
  std::uint64_t media_errors = 0, power_on_hours = 0, unsafe_shutdowns = 0;
};

/// NVM Express Base Specification 2.0, figure 207; counters of 16 bytes are cut to their low 8.
Smart read_smart(const SmartPage&);

}  // namespace vt::checks
