#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/soak_gauge.hpp"
#include "remote-agent/checks/soak_load.hpp"

namespace vt::checks {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

double since(Clock::time_point start) { return Seconds(Clock::now() - start).count(); }

double mean(const std::vector<double>& rates, std::size_t from, std::size_t to) {
  double sum = 0;
  for (auto i = from; i < to; ++i) sum += rates[i];
  return sum / static_cast<double>(to - from);
}

/// How long, in what rhythm, and what came of it.
struct Burn {
  double seconds, round, pause, every;  ///< `every`: how often the reference is derived again
  bool fault;
  std::vector<double> tflops;
  std::uint64_t products = 0, derived = 0, wrong = 0;
  std::string first_wrong;
  void note(std::uint64_t count, const std::string& what) {
    wrong += count;
    if (count && first_wrong.empty()) first_wrong = what;
  }
};

/// args.hz makes it a square wave: half of each period at work, half idle.
Burn burn_of(const Task& task) {
  auto seconds = std::max(0.0, task.number("seconds", 60));
  auto hz = std::clamp(task.number("hz", 0), 0.0, 100.0);
  Burn out{};
  out.seconds = task.on_cpu() ? std::min(seconds, 0.5) : seconds;
  out.round = hz > 0 ? 0.5 / hz : 0.25;
  out.pause = hz > 0 ? 0.5 / hz : 0;
  out.every = std::max(0.1, task.number("every", 10));
  out.fault = task.flag("fault");
  return out;
}

Status one_round(SoakLoad& load, std::uint64_t times, Burn& burn, std::optional<Gauge>& gauge) {
  VT_CHECK(load.start(times));
  if (gauge) gauge->sample();  // while it works
  VT_TRY(auto round, load.finish());
  burn.products += times;
  burn.note(round.wrong, round.first);
  burn.tflops.push_back(load.problem().operations() * static_cast<double>(times) / std::max(round.seconds, 1e-9) / 1e12);
  return {};
}

Status derive(SoakLoad& load, Burn& burn) {
  if (burn.fault && burn.derived == 0) VT_CHECK(load.spoil());
  VT_TRY(auto found, load.derive_again());
  burn.note(found.elements, found.first), ++burn.derived;
  return {};
}

Status keep_busy(SoakLoad& load, Burn& burn, std::optional<Gauge>& gauge, Reporter& report) {
  VT_CHECK(load.start(1));
  VT_TRY(auto once, load.finish());
  burn.note(once.wrong, once.first);
  auto times = static_cast<std::uint64_t>(std::clamp(burn.round / std::max(once.seconds, 1e-6), 1.0, 1e4));
  auto start = Clock::now(), last = start;
  do {
    VT_CHECK(one_round(load, times, burn, gauge));
    std::this_thread::sleep_for(Seconds(burn.pause));
    if (since(last) < burn.every) continue;
    VT_CHECK(derive(load, burn));
    report.progress(std::to_string(burn.wrong) + " wrong", since(start) / std::max(burn.seconds, 1.0));
    last = Clock::now();
  } while (since(start) < burn.seconds);
  return derive(load, burn);
}

/// What an earlier check has heated up would lower the rate of this one.
void start_cool(const Task& task, const std::optional<Gauge>& gauge, Reporter& report) {
  auto target = static_cast<unsigned>(std::clamp(task.number("cool_to", 0), 0.0, 200.0));
  auto room = task.deadline_ms - static_cast<std::int64_t>(std::clamp(task.number("seconds", 60), 0.0, 1e6) * 1e3);
  if (target > 0 && gauge) cool_down({*gauge}, target, std::max<std::int64_t>(0, room) / 2, report);
}

Result<nlohmann::json> soak(const Task& task, gpu::Device& device, Reporter& report) {
  auto gauge = task.on_cpu() ? std::nullopt : Gauge::find(device.info().uuid);
  start_cool(task, gauge, report);
  auto library = gpu::CublasLt::open(device);
  VT_TRY(auto size, fitting_size(device, task.number("size", 8192)));
  VT_TRY(auto load, SoakLoad::make(device, library ? &*library : nullptr, size));
  auto burn = burn_of(task);
  burn.note(load.proof().wrong(), load.proof().first);
  VT_CHECK(keep_busy(load, burn, gauge, report));
  auto n = burn.tflops.size(), third = std::max<std::size_t>(1, n / 3);
  auto first = mean(burn.tflops, 0, third), last = mean(burn.tflops, n - third, n);
  nlohmann::json out = {{"wrong", burn.wrong},
                        {"first_wrong", burn.first_wrong},
                        {"products", burn.products},
                        {"derived", burn.derived},
                        {"tflops", mean(burn.tflops, 0, n)},
                        {"first_third", first},
                        {"last_third", last},
                        {"stability", last / first},
                        {"type", gpu::name(load.problem().in())},
                        {"kernel", library ? "cuBLASLt " + library->version() : "own, " + device.rung()}};
  out["slowdown"] = out["fans"] = "n/a";
  if (gauge) out.update(gauge->told());
  report.metric("soak", out["tflops"], "TFLOP/s", device.info().uuid);
  return out;
}

}  // namespace

/// Products and copies at full power for args.seconds, every result compared with a proven reference, which is derived again every
/// args.every seconds. args.hz: switched on and off that often, to try the power supply. args.cool_to: waits first until the GPU is no
/// warmer than that (C), for half of the time that the load leaves. args.fault spoils one result.
Outcome soak_burn(const Task& task, gpu::Device& device, Reporter& report) {
  auto values = soak(task, device, report);
  if (!values) return {{}, device.info().uuid, values.error().what};
  return {*values, device.info().uuid, ""};
}

}  // namespace vt::checks
