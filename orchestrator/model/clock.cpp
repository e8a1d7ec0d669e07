#include "orchestrator/model/clock.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <thread>

namespace vt {

namespace {
std::int64_t now_ms(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return std::int64_t{t.tv_sec} * 1000 + t.tv_nsec / 1'000'000;
}
}  // namespace

EpochMs SystemClock::wall() const { return now_ms(CLOCK_REALTIME); }
Duration SystemClock::boot() const { return Duration{now_ms(CLOCK_BOOTTIME)}; }
void SystemClock::sleep(Duration d) const { std::this_thread::sleep_for(d); }

Duration Deadline::left() const {
  auto rest = std::chrono::duration_cast<Duration>(at_ - std::chrono::steady_clock::now());
  return std::max(rest, Duration::zero());
}

Deadline Deadline::earlier(Duration d) const { return Deadline(std::min(at_, std::chrono::steady_clock::now() + d)); }

std::string utc_text(EpochMs ms) {
  std::time_t seconds = ms / 1000;
  std::tm tm{};
  gmtime_r(&seconds, &tm);
  char buffer[32];
  std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &tm);
  return buffer;
}

std::string short_text(Duration d) {
  long long s = d.count() / 1000, minutes = s / 60, hours = minutes / 60, days = hours / 24;
  char buffer[40];
  if (s < 60) std::snprintf(buffer, sizeof buffer, "%llds", s);
  else if (hours < 1) std::snprintf(buffer, sizeof buffer, "%lldm%02llds", minutes, s % 60);
  else if (days < 2) std::snprintf(buffer, sizeof buffer, "%lldh%02lldm", hours, minutes % 60);
  else if (hours % 24 == 0) std::snprintf(buffer, sizeof buffer, "%lldd", days);
  else std::snprintf(buffer, sizeof buffer, "%lldd%lldh", days, hours % 24);
  return buffer;
}

}  // namespace vt
