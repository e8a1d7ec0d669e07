#include <algorithm>
#include <chrono>
#include <thread>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/soak_gauge.hpp"

namespace vt::checks {

namespace {

/// 0 without any.
unsigned hottest(const std::vector<Gauge>& gauges) {
  unsigned out = 0;
  for (auto& gauge : gauges) out = std::max(out, gauge.temperature().value_or(0));
  return out;
}

constexpr std::int64_t kSettled = 20'000;  // ms without a degree less: as cool as it gets

}  // namespace

/// Waits until no GPU is warmer than args.celsius or the warmest has stopped cooling; gives up before the deadline.
Outcome soak_cooldown(const Task& task, Reporter& report) {
  auto gauges = all_gauges();
  auto lowest = hottest(gauges), began = lowest;
  if (lowest == 0) return {{}, "", "no GPU tells its temperature"};
  auto target = static_cast<unsigned>(std::clamp(task.number("celsius", 50), 0.0, 200.0));
  auto start = agent::boot_ms(), fell = start, now = start;
  auto until = start + task.deadline_ms * 8 / 10;
  auto celsius = lowest;
  while (celsius > target && now - fell < kSettled && now < until) {
    report.progress(std::to_string(celsius) + " C", static_cast<double>(now - start) / static_cast<double>(task.deadline_ms));
    std::this_thread::sleep_for(std::chrono::seconds(1));
    now = agent::boot_ms(), celsius = hottest(gauges);
    if (celsius < lowest) lowest = celsius, fell = now;
  }
  bool cool = celsius <= target || now - fell >= kSettled;
  return {{{"cool", cool}, {"began_c", began}, {"celsius", celsius}, {"waited_s", static_cast<double>(now - start) / 1e3}}, "", ""};
}

}  // namespace vt::checks
