#include <algorithm>
#include <chrono>
#include <thread>

#include "remote-agent/base/os.hpp"
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

Cooled cool_down(const std::vector<Gauge>& gauges, unsigned target, std::int64_t most_ms, Reporter& report) {
  Cooled out;
  auto lowest = out.began = out.celsius = hottest(gauges);
  auto start = agent::boot_ms(), fell = start, now = start;
  while (out.celsius > target && now - fell < kSettled && now - start < most_ms) {
    report.progress(std::to_string(out.celsius) + " C", static_cast<double>(now - start) / static_cast<double>(most_ms));
    std::this_thread::sleep_for(std::chrono::seconds(1));
    now = agent::boot_ms(), out.celsius = hottest(gauges);
    if (out.celsius < lowest) lowest = out.celsius, fell = now;
  }
  out.cool = out.celsius <= target || now - fell >= kSettled;
  out.waited_ms = now - start;
  return out;
}

/// Waits until no GPU is warmer than args.celsius or the warmest has stopped cooling; gives up before the deadline.
Outcome soak_cooldown(const Task& task, Reporter& report) {
  auto target = static_cast<unsigned>(std::clamp(task.number("celsius", 50), 0.0, 200.0));
  auto cooled = cool_down(all_gauges(), target, task.deadline_ms * 8 / 10, report);
  if (cooled.began == 0) return {{}, "", "no GPU tells its temperature"};
  return {{{"cool", cooled.cool},
           {"began_c", cooled.began},
           {"celsius", cooled.celsius},
           {"waited_s", static_cast<double>(cooled.waited_ms) / 1e3}},
          "",
          ""};
}

}  // namespace vt::checks
