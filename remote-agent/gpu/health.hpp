#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "remote-agent/gpu/aer.hpp"
#include "remote-agent/gpu/nvml.hpp"

namespace vt::gpu {

/// Counters of a GPU that only grow (until a reset or a reload of the driver); empty where it has none.
struct Counters {
  using Count = std::optional<std::uint64_t>;
  Count ecc_corrected, ecc_uncorrected;  ///< volatile ones
  Count remapped_corrected, remapped_uncorrected, remap_pending, remap_failed;
  Count retired_single, retired_double;
  Count pcie_replays, pcie_fatal, pcie_nonfatal;
  AerCounts aer;
  Count nvlink_crc, nvlink_replays, nvlink_recoveries, nvlink_ecc, nvlink_symbols;  ///< of all links together
  Count power_policy_ns, thermal_policy_ns;                                         ///< for how long clocks were held down
};
Counters read_counters(const nvml::Nvml&, nvml::Handle);

/// A GPU over the time of a check.
struct Watched {
  double seconds = 0;
  Counters before, after;
  std::vector<int> xids;
  std::map<std::string, double> throttled;  ///< seconds by reason, from samples: "hw thermal slowdown"
  int slowdown_run = 0;                     ///< most samples under load in a row with "hw slowdown"
  unsigned generation = 0, width = 0;       ///< PCIe under load; 0 = not seen under load
  std::string lost;                         ///< why NVML cannot say anything about it any more
};

/// Seconds by reason: exact where the driver counted nanoseconds that can be (no more than went by), else sampled.
std::map<std::string, double> throttled(const Watched&);

/// What the links of a GPU counted meanwhile, in words; "n/a" where nothing counts. PCIe: an error that was corrected is a matter of rate,
/// 32 a minute (as GPU fleets are watched) and the replays that findings() allows; any other is one too many. NVLink: any at all is told.
struct LinkErrors {
  std::string replays;    ///< "ok" or "41, 31 allowed"
  std::string corrected;  ///< "ok" or "81 in 12 s": AER, on the GPU and the ports above it
  std::string aer;        ///< "none" or "1 fatal, 2 non-fatal", of the same
  std::string nvlink;     ///< "none" or "1 recovered, 2 CRC"
};
LinkErrors link_errors(const Watched&);

struct Findings {
  std::vector<std::string> faults;  ///< "XID 79: fell off the bus (…)", "3 uncorrected ECC errors"
  std::vector<std::string> notes;   ///< worth knowing, no fault of this check: corrected errors, warnings
  /// Xids 43 and 45 without any other: faults, unless a process on the GPU was killed, of which they come as well (NVIDIA's catalogue:
  /// "Control-C, GPU resets, sigkill").
  std::vector<std::string> of_a_kill;
};
/// What is wrong with a GPU after a check. Limits: any Xid that is fatal or came from our own kernels; any uncorrected ECC error; any
/// row that could not be remapped or waits for a reset now; any thermal slowdown or power brake of the hardware; the bit "hw slowdown"
/// alone in two samples under load in a row (nvml.h: it may also be set while the clocks change); software thermal slowdown for more than 1
/// % of the time and 10 ms (a software power cap is how a GPU keeps its limit, and no fault); PCIe replays above what a bit error rate of
/// 1e-12 gives (DCGM's rule: lanes x 0.15, 0.30, 0.48, 0.96, 1.92, 3.84 a minute for generations 1 to 6); a fatal PCIe error of the GPU or
/// of a port above it; NVLink recoveries, ECC errors, or more than 100 CRC errors a second (DCGM).
Findings findings(const Watched&);

}  // namespace vt::gpu
