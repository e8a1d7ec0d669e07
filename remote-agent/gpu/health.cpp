#include "remote-agent/gpu/health.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "remote-agent/gpu/xid.hpp"

namespace vt::gpu {

namespace {

using nvml::Functions, nvml::Nvml, nvml::Handle;
using Count = Counters::Count;

constexpr const char *kPowerCap = "sw power cap", *kSwThermal = "sw thermal slowdown", *kHwSlowdown = "hw slowdown",
                     *kHwThermal = "hw thermal slowdown", *kPowerBrake = "hw power brake";
constexpr double kSwThermalShare = 0.01, kLeastThermal = 0.01, kCrcPerSecond = 100, kCorrectedPerMinute = 32;

template <class T>
Count count_of(const Result<T>& read) {
  return read ? Count(static_cast<std::uint64_t>(*read)) : std::nullopt;
}

Count ecc(const Nvml& nvml, Handle gpu, int kind) {
  constexpr int kVolatile = 0;
  return count_of(nvml.get<nvml::u64>(&Functions::nvmlDeviceGetTotalEccErrors, gpu, kind, kVolatile));
}

/// Only the number of pages; asking for none of the addresses answers "insufficient size" where there are some.
Count retired(const Nvml& nvml, Handle gpu, int cause) {
  constexpr nvml::Code kInsufficient = 7;
  unsigned pages = 0;
  auto code = nvml.call(&Functions::nvmlDeviceGetRetiredPages, gpu, cause, &pages, nullptr);
  return code == 0 || code == kInsufficient ? Count(pages) : std::nullopt;
}

Count sum(const Count& a, const Count& b) { return a && b ? Count(*a + *b) : a ? a : b; }

std::vector<unsigned> active_links(const Nvml& nvml, Handle gpu) {
  constexpr unsigned kMost = 36;
  std::vector<unsigned> out;
  for (unsigned link = 0; link < kMost; ++link)
    if (auto up = nvml.get<unsigned>(&Functions::nvmlDeviceGetNvLinkState, gpu, link); up && *up) out.push_back(link);
  return out;
}

/// Where the driver does not add the links up itself: what it counts for each, up to NVLink 4 by a function, then in fields.
void read_each_link(const Nvml& nvml, Handle gpu, Counters& to) {
  for (auto link : active_links(nvml, gpu)) {
    auto error = [&](nvml::LinkError kind) {
      return count_of(nvml.get<nvml::u64>(&Functions::nvmlDeviceGetNvLinkErrorCounter, gpu, link, static_cast<int>(kind)));
    };
    auto field = [&](nvml::FieldId id) { return count_of(nvml.field(id, gpu, link)); };
    auto crc = sum(error(nvml::link_crc_flit), error(nvml::link_crc_data));
    to.nvlink_crc = sum(to.nvlink_crc, crc ? crc : field(nvml::link5_effective_errors));
    to.nvlink_replays = sum(to.nvlink_replays, error(nvml::link_replay));
    auto recoveries = error(nvml::link_recovery);
    to.nvlink_recoveries = sum(to.nvlink_recoveries, recoveries ? recoveries : field(nvml::link5_recoveries));
    to.nvlink_ecc = sum(to.nvlink_ecc, error(nvml::link_ecc_data));
    to.nvlink_symbols = sum(to.nvlink_symbols, field(nvml::link5_symbol_errors));
  }
}

void read_nvlinks(const Nvml& nvml, Handle gpu, Counters& to) {
  auto field = [&](nvml::FieldId id) { return count_of(nvml.field(id, gpu)); };
  to.nvlink_crc = sum(field(nvml::nvlink_crc_flit), field(nvml::nvlink_crc_data));
  to.nvlink_replays = field(nvml::nvlink_replay), to.nvlink_recoveries = field(nvml::nvlink_recovery);
  to.nvlink_ecc = field(nvml::nvlink_ecc_data);
  if (!to.nvlink_crc && !to.nvlink_replays && !to.nvlink_recoveries && !to.nvlink_ecc) read_each_link(nvml, gpu, to);
}

void read_remapping(const Nvml& nvml, Handle gpu, Counters& to) {
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (nvml.call(&Functions::nvmlDeviceGetRemappedRows, gpu, &corrected, &uncorrected, &pending, &failed)) return;
  to.remapped_corrected = corrected, to.remapped_uncorrected = uncorrected, to.remap_pending = pending, to.remap_failed = failed;
}

/// How much a counter grew; 0 where there is none, and where a reset in between made it smaller.
std::uint64_t grown(const Count& before, const Count& after) { return before && after && *after > *before ? *after - *before : 0; }

std::string plural(std::uint64_t n, const std::string& what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

std::string seconds_text(double s) {
  char out[32];
  std::snprintf(out, sizeof out, s < 0.1 ? "%.3f s" : "%.1f s", s);
  return out;
}

/// Rates are of minutes: what comes within the first is not spread any thinner.
double minutes(const Watched& gpu) { return std::max(1.0, gpu.seconds / 60); }

/// "1 fatal, 2 non-fatal"; "none".
std::string listed(std::initializer_list<std::pair<std::uint64_t, const char*>> counts) {
  std::string out;
  for (auto& [n, what] : counts)
    if (n) out += (out.empty() ? "" : ", ") + std::to_string(n) + what;
  return out.empty() ? "none" : out;
}

double replays_allowed(const Watched& gpu) {
  constexpr double kPerLane[] = {0.15, 0.30, 0.48, 0.96, 1.92, 3.84};
  auto generation = std::clamp(gpu.generation, 1U, 6U);
  auto lanes = gpu.width ? gpu.width : 16;
  return std::ceil(lanes * kPerLane[generation - 1] * minutes(gpu));
}

void judge_xids(const Watched& gpu, Findings& out) {
  auto codes = gpu.xids;
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  bool of_a_kill = std::all_of(codes.begin(), codes.end(), [](int code) { return code == 43 || code == 45; });
  for (auto code : codes)
    if (xid(code).kind != XidClass::notice)
      (!fails_a_check(code) ? out.notes : of_a_kill ? out.of_a_kill : out.faults).push_back(told(code));
}

void judge_memory(const Watched& gpu, Findings& out) {
  auto& before = gpu.before;
  auto& after = gpu.after;
  if (auto n = grown(before.ecc_uncorrected, after.ecc_uncorrected)) out.faults.push_back(plural(n, "uncorrected ECC error"));
  if (auto n = grown(before.ecc_corrected, after.ecc_corrected)) out.notes.push_back(plural(n, "corrected ECC error"));
  if (grown(before.remap_failed, after.remap_failed)) out.faults.push_back("a memory row could not be remapped");
  if (grown(before.remap_pending, after.remap_pending)) out.faults.push_back("a memory row waits for a reset to be remapped");
  if (auto n = grown(before.remapped_uncorrected, after.remapped_uncorrected)) out.notes.push_back(plural(n, "remapped row"));
  if (auto n = grown(before.retired_double, after.retired_double))
    out.faults.push_back(plural(n, "page") + " retired for double bit errors");
  if (auto n = grown(before.retired_single, after.retired_single))
    out.notes.push_back(plural(n, "page") + " retired for single bit errors");
}

void judge_links(const Watched& gpu, Findings& out) {
  auto& before = gpu.before;
  auto& after = gpu.after;
  auto replays = grown(before.pcie_replays, after.pcie_replays);
  if (static_cast<double>(replays) > replays_allowed(gpu)) out.faults.push_back(plural(replays, "PCIe replay"));
  else if (replays) out.notes.push_back(plural(replays, "PCIe replay"));
  if (auto n = grown(before.pcie_fatal, after.pcie_fatal)) out.faults.push_back(plural(n, "fatal PCIe error"));
  if (auto n = grown(before.pcie_nonfatal, after.pcie_nonfatal)) out.notes.push_back(plural(n, "non-fatal PCIe error"));
  if (auto n = grown(before.aer.fatal, after.aer.fatal)) out.faults.push_back(plural(n, "fatal PCIe error") + " (AER)");
  if (auto n = grown(before.aer.nonfatal, after.aer.nonfatal)) out.notes.push_back(plural(n, "non-fatal PCIe error") + " (AER)");
  if (auto n = grown(before.aer.correctable, after.aer.correctable)) out.notes.push_back(plural(n, "corrected PCIe error") + " (AER)");
  if (auto n = grown(before.nvlink_recoveries, after.nvlink_recoveries)) out.faults.push_back("NVLink recovered " + plural(n, "time"));
  if (auto n = grown(before.nvlink_ecc, after.nvlink_ecc)) out.faults.push_back(plural(n, "NVLink ECC error"));
  auto crc = grown(before.nvlink_crc, after.nvlink_crc);
  if (static_cast<double>(crc) > kCrcPerSecond * std::max(1.0, gpu.seconds)) out.faults.push_back(plural(crc, "NVLink CRC error"));
  else if (crc) out.notes.push_back(plural(crc, "NVLink CRC error"));
  if (auto n = grown(before.nvlink_replays, after.nvlink_replays)) out.notes.push_back(plural(n, "NVLink replay"));
  if (auto n = grown(before.nvlink_symbols, after.nvlink_symbols)) out.notes.push_back(plural(n, "NVLink symbol error"));
}

void judge_throttling(const Watched& gpu, Findings& out) {
  for (auto& [reason, seconds] : throttled(gpu)) {
    if (reason == kPowerCap) continue;
    bool hardware = reason == kHwThermal || reason == kPowerBrake || (reason == kHwSlowdown && gpu.slowdown_run >= 2);
    bool hot = reason == kSwThermal && seconds > std::max(kLeastThermal, kSwThermalShare * gpu.seconds);
    (hardware || hot ? out.faults : out.notes).push_back(reason + " " + seconds_text(seconds));
  }
}

}  // namespace

Counters read_counters(const Nvml& nvml, Handle gpu) {
  Counters out;
  auto field = [&](nvml::FieldId id) { return count_of(nvml.field(id, gpu)); };
  constexpr int kCorrected = 0, kUncorrected = 1, kSingleBit = 0, kDoubleBit = 1;
  out.ecc_corrected = ecc(nvml, gpu, kCorrected), out.ecc_uncorrected = ecc(nvml, gpu, kUncorrected);
  read_remapping(nvml, gpu, out);
  out.retired_single = retired(nvml, gpu, kSingleBit), out.retired_double = retired(nvml, gpu, kDoubleBit);
  out.pcie_replays = count_of(nvml.get<unsigned>(&Functions::nvmlDeviceGetPcieReplayCounter, gpu));
  out.pcie_fatal = field(nvml::pcie_fatal), out.pcie_nonfatal = field(nvml::pcie_nonfatal);
  out.aer = read_aer("/sys", nvml.get<nvml::PciInfo>(&Functions::nvmlDeviceGetPciInfo_v3, gpu).value_or(nvml::PciInfo{}).bus_id);
  read_nvlinks(nvml, gpu, out);
  out.power_policy_ns = field(nvml::power_policy_ns), out.thermal_policy_ns = field(nvml::thermal_policy_ns);
  return out;
}

LinkErrors link_errors(const Watched& gpu) {
  auto& before = gpu.before;
  auto& after = gpu.after;
  auto known = [](std::initializer_list<Count> counts) {
    return std::any_of(counts.begin(), counts.end(), [](auto& c) { return c.has_value(); });
  };
  LinkErrors out{"n/a", "n/a", "n/a", "n/a"};
  auto replays = grown(before.pcie_replays, after.pcie_replays), corrected = grown(before.aer.correctable, after.aer.correctable);
  auto allowed = static_cast<std::uint64_t>(replays_allowed(gpu));
  if (known({after.pcie_replays}))
    out.replays = replays <= allowed ? "ok" : std::to_string(replays) + ", " + std::to_string(allowed) + " allowed";
  if (known({after.aer.correctable}))
    out.corrected = static_cast<double>(corrected) <= kCorrectedPerMinute * minutes(gpu)
                        ? "ok"
                        : std::to_string(corrected) + " in " + seconds_text(gpu.seconds);
  if (known({after.aer.fatal, after.aer.nonfatal}))
    out.aer =
        listed({{grown(before.aer.fatal, after.aer.fatal), " fatal"}, {grown(before.aer.nonfatal, after.aer.nonfatal), " non-fatal"}});
  if (known({after.nvlink_crc, after.nvlink_replays, after.nvlink_recoveries, after.nvlink_ecc, after.nvlink_symbols}))
    out.nvlink = listed({{grown(before.nvlink_recoveries, after.nvlink_recoveries), " recovered"},
                         {grown(before.nvlink_ecc, after.nvlink_ecc), " ECC"},
                         {grown(before.nvlink_crc, after.nvlink_crc), " CRC"},
                         {grown(before.nvlink_replays, after.nvlink_replays), " replayed"},
                         {grown(before.nvlink_symbols, after.nvlink_symbols), " symbols"}});
  return out;
}

std::map<std::string, double> throttled(const Watched& gpu) {
  auto out = gpu.throttled;
  auto exact = [&](const char* reason, const Count& before, const Count& after) {
    constexpr double kReading = 1;  // the counters are read a little before and after the time
    auto seconds = static_cast<double>(grown(before, after)) / 1e9;
    if (seconds > 0 && seconds <= gpu.seconds + kReading) out[reason] = seconds;
  };
  exact(kPowerCap, gpu.before.power_policy_ns, gpu.after.power_policy_ns);
  if (!out.contains(kHwThermal)) exact(kSwThermal, gpu.before.thermal_policy_ns, gpu.after.thermal_policy_ns);
  std::erase_if(out, [](auto& entry) { return entry.second <= 0; });
  return out;
}

Findings findings(const Watched& gpu) {
  Findings out;
  judge_xids(gpu, out);
  if (!gpu.lost.empty()) out.faults.push_back(gpu.lost);
  judge_memory(gpu, out);
  judge_links(gpu, out);
  judge_throttling(gpu, out);
  return out;
}

}  // namespace vt::gpu
