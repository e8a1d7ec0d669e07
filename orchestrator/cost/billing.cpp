#include "orchestrator/cost/billing.hpp"

#include <algorithm>

namespace vt {

namespace {

/// What a provider may run on after the end of a lease: 30 s at Compute Engine, a tick of the watchdog and one call at RunPod.
constexpr std::int64_t kSlackSeconds = 90;

}  // namespace

Money cost_until(const Resource& r, EpochMs now) {
  if (r.state == ResourceState::refused || r.state == ResourceState::presumed_absent) return {};
  return price_for(r.hourly, std::max<std::int64_t>(0, (now - r.created + 999) / 1000));
}

Money reservation(Money hourly, Duration lease) { return price_for(hourly, lease.count() / 1000 + kSlackSeconds); }

Duration affordable(Money hourly, Money room) {
  if (hourly.micro <= 0) return std::chrono::hours(24 * 365);
  auto seconds = room.micro / hourly.micro * 3600 + room.micro % hourly.micro * 3600 / hourly.micro - kSlackSeconds;
  return seconds < 60 ? Duration{0} : Duration{seconds * 1000};
}

}  // namespace vt
