#include "remote-agent/gpu/monitor.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "remote-agent/gpu/health.hpp"

namespace vt::gpu {

namespace {

using nvml::Functions, nvml::Handle, nvml::Nvml;
using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::chrono::milliseconds kFirst{50}, kEvery{200}, kTraceEvery{1000};
constexpr unsigned kSliceMs = 50;  ///< an order to end is heard this soon
constexpr unsigned kLastMs = 10;   ///< what happened just before is still heard
constexpr int kMostLate = 64;      ///< errors that are taken then; more of them change nothing

struct Series {
  double min = 0, max = 0, sum = 0, last = 0;
  int n = 0;
  void add(double x) {
    min = n ? std::min(min, x) : x, max = n ? std::max(max, x) : x;
    sum += x, last = x, n++;
  }
};

/// One figure that is sampled.
struct Sampled {
  const char *name, *unit;
  Result<unsigned> (*read)(const Nvml&, Handle);
  double scale;
};
Result<unsigned> clock_of(const Nvml& nvml, Handle gpu, int type) {
  return nvml.get<unsigned>(&Functions::nvmlDeviceGetClockInfo, gpu, type);
}
constexpr int kDie = 0;  // the temperature sensor of the chip
constexpr Sampled kSampled[] = {
    {"power_w", "W", [](const Nvml& n, Handle g) { return n.get<unsigned>(&Functions::nvmlDeviceGetPowerUsage, g); }, 0.001},
    {"temperature_c", "C", [](const Nvml& n, Handle g) { return n.get<unsigned>(&Functions::nvmlDeviceGetTemperature, g, kDie); }, 1},
    {"sm_mhz", "MHz", [](const Nvml& n, Handle g) { return clock_of(n, g, nvml::sm_clock); }, 1},
    {"memory_mhz", "MHz", [](const Nvml& n, Handle g) { return clock_of(n, g, nvml::memory_clock); }, 1},
};

struct Reason {
  nvml::u64 bit;
  const char* name;
};
constexpr Reason kReasons[] = {{nvml::sw_power_cap, "sw power cap"},
                               {nvml::sw_thermal, "sw thermal slowdown"},
                               {nvml::hw_slowdown, "hw slowdown"},
                               {nvml::hw_thermal, "hw thermal slowdown"},
                               {nvml::hw_power_brake, "hw power brake"}};

struct Watch {
  Handle handle = nullptr;
  GpuReport report;
  Watched seen;
  Series series[std::size(kSampled)];
  int slowdown_run = 0;                        ///< of the samples just taken
  unsigned max_generation = 0, max_width = 0;  ///< of GPU and slot together
};

/// What the thread works on; nobody else does until it has ended.
class Watcher {
 public:
  explicit Watcher(Nvml nvml) : nvml_(nvml) {}
  /// Why not all GPUs can be watched; empty if they can.
  std::string begin();
  /// Whether something happened.
  bool listen(unsigned ms);
  void sample(double seconds);
  void trace(const Monitor::Trace& to) const;
  std::vector<GpuReport> end(double seconds);

 private:
  template <class T, class... P>
  T number(nvml::Code (*Functions::*function)(P...), const Watch& watch) const {
    return nvml_.get<T>(function, watch.handle).value_or(T{});
  }
  void sample_link(Watch&, bool loaded) const;
  static json telemetry(const Watch&, const Findings&);

  Nvml nvml_;
  nvml::EventSet events_ = nullptr;
  std::vector<Watch> gpus_;
};

std::string Watcher::begin() {
  constexpr auto kWanted = nvml::xid_event | nvml::double_bit_event;
  if (nvml_.call(&Functions::nvmlEventSetCreate, &events_)) events_ = nullptr;
  auto listed = nvml_.gpus();
  std::string trouble = listed ? "" : listed.error().what;
  for (std::size_t i = 0; listed && i < listed->size(); ++i) {
    if (auto& gpu = (*listed)[i]; !gpu) {
      trouble += (trouble.empty() ? "GPU " : "; GPU ") + std::to_string(i) + ": " + gpu.error().what;
      continue;
    }
    auto& watch = gpus_.emplace_back();
    auto handle = watch.handle = *(*listed)[i];
    watch.report.uuid = nvml_.text(&Functions::nvmlDeviceGetUUID, handle).value_or("");
    watch.report.pci = nvml_.get<nvml::PciInfo>(&Functions::nvmlDeviceGetPciInfo_v3, handle).value_or(nvml::PciInfo{}).bus_id;
    auto known = nvml_.get<nvml::u64>(&Functions::nvmlDeviceGetSupportedEventTypes, handle).value_or(0);
    if (events_ && (known & kWanted)) nvml_.call(&Functions::nvmlDeviceRegisterEvents, handle, known & kWanted, events_);
    watch.max_generation = number<unsigned>(&Functions::nvmlDeviceGetMaxPcieLinkGeneration, watch);
    watch.max_width = number<unsigned>(&Functions::nvmlDeviceGetMaxPcieLinkWidth, watch);
    watch.seen.before = read_counters(nvml_, handle);
  }
  return trouble;
}

bool Watcher::listen(unsigned ms) {
  nvml::Event event{};
  auto code = events_ ? nvml_.call(&Functions::nvmlEventSetWait_v2, events_, &event, ms) : nvml::kNoFunction;
  if (code && code != nvml::kTimeout) std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  for (auto& watch : gpus_)
    if (code == 0 && event.type == nvml::xid_event && event.device == watch.handle) watch.seen.xids.push_back(static_cast<int>(event.data));
  return code == 0;
}

void Watcher::sample(double seconds) {
  constexpr nvml::u64 kIdle = 1;
  for (auto& watch : gpus_) {
    for (std::size_t i = 0; i < std::size(kSampled); ++i)
      if (auto read = kSampled[i].read(nvml_, watch.handle)) watch.series[i].add(*read * kSampled[i].scale);
    auto reasons = nvml_.get<nvml::u64>(&Functions::nvmlDeviceGetCurrentClocksEventReasons, watch.handle);
    for (auto& reason : kReasons)
      if (reasons && (*reasons & reason.bit)) watch.seen.throttled[reason.name] += seconds;
    bool loaded = reasons && !(*reasons & kIdle);
    watch.slowdown_run = loaded && (*reasons & nvml::hw_slowdown) ? watch.slowdown_run + 1 : 0;
    watch.seen.slowdown_run = std::max(watch.seen.slowdown_run, watch.slowdown_run);
    sample_link(watch, loaded);
  }
}

/// An idle GPU lowers its link, so only what is seen under load counts: the highest generation, and the fewest lanes at it.
void Watcher::sample_link(Watch& watch, bool loaded) const {
  if (!loaded) return;
  auto generation = number<unsigned>(&Functions::nvmlDeviceGetCurrPcieLinkGeneration, watch);
  auto width = number<unsigned>(&Functions::nvmlDeviceGetCurrPcieLinkWidth, watch);
  auto& seen = watch.seen;
  if (generation > seen.generation) seen.generation = generation, seen.width = width;
  else if (generation == seen.generation) seen.width = std::min(seen.width, width);
}

void Watcher::trace(const Monitor::Trace& to) const {
  for (auto& watch : gpus_)
    for (std::size_t i = 0; i < std::size(kSampled); ++i)
      if (watch.series[i].n) to(kSampled[i].name, watch.series[i].last, kSampled[i].unit, watch.report.uuid);
}

json Watcher::telemetry(const Watch& watch, const Findings& found) {
  json out = json::object();
  for (std::size_t i = 0; i < std::size(kSampled); ++i)
    if (auto& s = watch.series[i]; s.n) out[kSampled[i].name] = {{"min", s.min}, {"mean", s.sum / s.n}, {"max", s.max}};
  out["throttled_s"] = throttled(watch.seen);
  if (watch.seen.generation)
    out["pcie"] = {{"generation", watch.seen.generation},
                   {"width", watch.seen.width},
                   {"max_generation", watch.max_generation},
                   {"max_width", watch.max_width}};
  auto links = link_errors(watch.seen);
  out["links"] = {{"replays", links.replays}, {"corrected", links.corrected}, {"aer", links.aer}, {"nvlink", links.nvlink}};
  if (!found.notes.empty()) out["notes"] = found.notes;
  return out;
}

std::vector<GpuReport> Watcher::end(double seconds) {
  std::vector<GpuReport> out;
  for (auto& watch : gpus_) {
    watch.seen.seconds = seconds;
    watch.seen.after = read_counters(nvml_, watch.handle);
    auto answer = nvml_.get<nvml::Memory>(&Functions::nvmlDeviceGetMemoryInfo, watch.handle);
    if (!answer && answer.error().code == Errc::lost) watch.seen.lost = answer.error().what;
    auto found = findings(watch.seen);
    auto joined = [](std::string& to, const std::string& text) { to += (to.empty() ? "" : "; ") + text; };
    for (auto& fault : found.faults) joined(watch.report.health, fault);
    for (auto& fault : found.of_a_kill) joined(watch.report.of_a_kill, fault);
    watch.report.telemetry = telemetry(watch, found);
    out.push_back(watch.report);
  }
  return out;
}

}  // namespace

struct Monitor::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false, stop = false, done = false;
  std::int64_t late_ms = 0;
  MonitorReport report;
  Trace trace;

  void run();

 private:
  void watch(Watcher&);
  template <class F>
  void change(F f) {
    std::lock_guard hold(mutex);
    f();
    changed.notify_all();
  }
};

/// Until it is told to stop, and then for as long as late errors may come.
void Monitor::State::watch(Watcher& watcher) {
  auto since = [](Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); };
  auto start = Clock::now(), sampled = start, traced = start;
  for (std::optional<Clock::time_point> until; !until || Clock::now() < *until;) {
    watcher.listen(kSliceMs);
    if (Clock::now() - sampled >= (sampled == start ? kFirst : kEvery)) watcher.sample(since(sampled)), sampled = Clock::now();
    std::lock_guard hold(mutex);
    if (stop && !until) until = Clock::now() + std::chrono::milliseconds(late_ms);
    if (stop || !trace || Clock::now() - traced < kTraceEvery) continue;
    watcher.trace(trace), traced = Clock::now();
  }
  for (int i = 0; i < kMostLate && watcher.listen(kLastMs); ++i) {}
  auto gpus = watcher.end(since(start));
  change([&] { report.gpus = std::move(gpus); });
}

void Monitor::State::run() {
  auto nvml = Nvml::open();
  std::optional<Watcher> watcher;
  auto trouble = nvml ? watcher.emplace(*nvml).begin() : nvml.error().what;
  change([&] { ready = true, report.trouble = trouble; });
  if (watcher) watch(*watcher);
  change([&] { done = true; });
}

Monitor::Monitor(Trace trace) : state_(std::make_shared<State>()) {
  state_->trace = std::move(trace);
  std::thread([state = state_] { state->run(); }).detach();
}

Monitor::~Monitor() {
  std::lock_guard hold(state_->mutex);
  state_->stop = true;
}

bool Monitor::ready() const {
  std::lock_guard hold(state_->mutex);
  return state_->ready;
}

MonitorReport Monitor::finish(std::int64_t deadline_ms, std::int64_t late_ms) {
  std::unique_lock hold(state_->mutex);
  state_->late_ms = late_ms, state_->stop = true;
  auto over = [&] { return state_->done; };
  if (state_->changed.wait_for(hold, std::chrono::milliseconds(deadline_ms), over)) return state_->report;
  return {{}, "NVML does not answer any more"};
}

}  // namespace vt::gpu
