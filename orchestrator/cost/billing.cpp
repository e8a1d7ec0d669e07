#include "orchestrator/cost/billing.hpp"

#include <algorithm>

namespace vt {

namespace {

constexpr std::int64_t kYearSeconds = 365 * 24 * 3600;

/// Compute Engine bills a machine's first minute whole (cloud.google.com/compute/vm-instance-pricing), RunPod by the second.
std::int64_t shortest_bill(const std::string& provider) { return provider == "gcp" ? 60 : 0; }

bool never_ran(ResourceState s) {
  return s == ResourceState::planned || s == ResourceState::refused || s == ResourceState::presumed_absent;
}

std::int64_t whole_seconds(std::int64_t ms) { return std::max<std::int64_t>(0, ms + 999) / 1000; }

}  // namespace

Money cost_until(const Resource& r, EpochMs now) {
  if (never_ran(r.state)) return {};
  auto end = r.closed ? r.closed : now;
  return price_for(r.hourly, std::max(whole_seconds(end - r.created), shortest_bill(r.provider)));
}

Money reservation(Money hourly, Duration lease) { return price_for(hourly, whole_seconds(lease.count()) + kLeaseSlackSeconds); }

Duration affordable(Money hourly, Money room) {
  if (price_for(hourly, kYearSeconds + kLeaseSlackSeconds) <= room) return std::chrono::seconds(kYearSeconds);
  auto seconds = room.micro / hourly.micro * 3600 + room.micro % hourly.micro * 3600 / hourly.micro - kLeaseSlackSeconds;
  return seconds < 60 ? Duration{0} : std::chrono::seconds(seconds);
}

}  // namespace vt
