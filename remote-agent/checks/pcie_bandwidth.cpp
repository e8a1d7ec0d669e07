#include <chrono>
#include <optional>

#include "remote-agent/checks/meet.hpp"
#include "remote-agent/checks/outcome.hpp"
#include "remote-agent/checks/pcie_copies.hpp"
#include "remote-agent/checks/pcie_link.hpp"
#include "remote-agent/checks/samples.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
using Towards = HostCopies::Towards;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }
double gb_s(double bytes, double seconds) { return bytes / std::max(seconds, 1e-9) / 1e9; }

/// Speeds of the samples, and the first data found wrong.
struct Speed {
  std::vector<double> gb_s;
  std::uint64_t wrong = 0;
  std::string found = "none";
  void add(const kernels::Miscompares& w, double bytes) {
    if (wrong == 0) found = text(w, static_cast<std::size_t>(bytes / 8));
    wrong += w.count;
  }
};

/// What every check of this file works with.
struct Bench {
  gpu::Device& device;
  const Task& task;
  Gate gate;
  PcieLinkWatch link;
  static Result<Bench> make(gpu::Device& device, const Task& task) {
    VT_TRY(auto gate, Gate::make(device));
    return Bench{device, task, std::move(gate), PcieLinkWatch(device.info())};
  }
  /// Whether another sample may begin: no more after a quarter of the task's time, as a check has two sets of them.
  [[nodiscard]] bool has_time(Clock::time_point start) const { return since(start) < static_cast<double>(task.deadline_ms) / 1e3 / 4; }
  [[nodiscard]] int samples() const { return static_cast<int>(std::clamp(task.number("samples", task.on_cpu() ? 2 : 5), 1.0, 1000.0)); }
};

Status verify(const Bench& bench, HostCopies& copies, Speed& speed) {
  if (bench.task.flag("fault")) VT_CHECK(copies.damage());
  VT_TRY(auto wrong, copies.verify());
  speed.add(wrong, copies.bytes());
  return {};
}

/// Seconds of that many copies. Pinned memory: as the device counts them, behind the gate. Pageable memory makes the host work along,
/// so it is the host that counts.
Result<double> time(Bench& bench, HostCopies& copies, int count, gpu::Place place) {
  if (place == gpu::Place::pinned) return bench.gate.time([&] { return copies.enqueue(count); }, {}, [&] { bench.link.look(); });
  auto start = Clock::now();
  VT_CHECK(copies.enqueue(count));
  VT_CHECK(bench.device.finish());
  return since(start);
}

/// 16 copies a sample as nvbandwidth makes them, fewer where they would take longer than 0.3 s; four before, as it does.
Result<int> copies_per_sample(Bench& bench, HostCopies& copies, gpu::Place place) {
  constexpr int kWarmUp = 4, kCopies = 16;
  constexpr double kMostSeconds = 0.3;
  VT_TRY(auto seconds, time(bench, copies, kWarmUp, place));
  return static_cast<int>(std::clamp(kWarmUp * kMostSeconds / std::max(seconds, 1e-6), 2.0, double{kCopies}));
}

Result<Speed> one_way(Bench& bench, Towards towards, gpu::Place place) {
  VT_TRY(auto copies, HostCopies::make(bench.device, bench.task, towards, place));
  auto start = Clock::now();
  VT_TRY(auto count, copies_per_sample(bench, copies, place));
  Speed out;
  for (int i = 0; i < bench.samples() && (i == 0 || bench.has_time(start)); ++i) {
    VT_CHECK(copies.clear());
    VT_TRY(auto seconds, time(bench, copies, count, place));
    out.gb_s.push_back(gb_s(copies.bytes() * count, seconds));
    VT_CHECK(verify(bench, copies, out));
  }
  return out;
}

/// Both directions at once, on a stream each that begin together; the time is that until both are done.
class BothWays {
 public:
  static Result<BothWays> make(Bench& bench) {
    VT_TRY(auto to_device, HostCopies::make(bench.device, bench.task, Towards::device));
    VT_TRY(auto to_host, HostCopies::make(bench.device, bench.task, Towards::host));
    VT_TRY(auto a, bench.device.new_stream());
    VT_TRY(auto b, bench.device.new_stream());
    VT_TRY(auto done, bench.device.new_mark());
    return BothWays(bench, std::move(to_device), std::move(to_host), a, b, done);
  }
  Status clear() {
    VT_CHECK(to_device_.clear());
    return to_host_.clear();
  }
  Result<double> time(int count) {
    auto enqueue = [&]() -> Status {
      VT_CHECK(bench_->device.after(b_, bench_->gate.start()));
      VT_CHECK(to_device_.enqueue(count, a_));
      VT_CHECK(to_host_.enqueue(count, b_));
      VT_CHECK(bench_->device.mark(done_, b_));
      return bench_->device.after(a_, done_);
    };
    return bench_->gate.time(enqueue, a_, [&] { bench_->link.look(); });
  }
  Status verify(Speed& speed) {
    VT_CHECK(checks::verify(*bench_, to_device_, speed));
    return checks::verify(*bench_, to_host_, speed);
  }
  [[nodiscard]] double bytes() const { return to_device_.bytes() + to_host_.bytes(); }

 private:
  BothWays(Bench& bench, HostCopies to_device, HostCopies to_host, gpu::Stream a, gpu::Stream b, gpu::Mark done)
      : bench_(&bench), to_device_(std::move(to_device)), to_host_(std::move(to_host)), a_(a), b_(b), done_(done) {}
  Bench* bench_;
  HostCopies to_device_, to_host_;
  gpu::Stream a_, b_;
  gpu::Mark done_;
};

Result<Speed> both_ways(Bench& bench) {
  VT_TRY(auto both, BothWays::make(bench));
  auto start = Clock::now();
  VT_TRY(auto warm, both.time(4));
  auto count = static_cast<int>(std::clamp(4 / std::max(warm, 1e-6), 2.0, 16.0));
  Speed out;
  for (int i = 0; i < bench.samples() && (i == 0 || bench.has_time(start)); ++i) {
    VT_CHECK(both.clear());
    VT_TRY(auto seconds, both.time(count));
    out.gb_s.push_back(gb_s(both.bytes() * count, seconds));
    VT_CHECK(both.verify(out));
  }
  return out;
}

/// Held against what the link carries in theory. 55.4 of 63.0 GB/s were seen at generation 5, 26.0 of 31.5 at generation 4, and cloud
/// operators set their floors at 0.67 to 0.76 (plans/baselines/common.yaml).
std::string of_link(double one_way_gb_s, const PcieLink& link) {
  constexpr double kLeast = 70;
  auto percent = 100 * one_way_gb_s / link.gb_s();
  return percent >= kLeast ? "ok" : std::to_string(static_cast<int>(percent)) + " % of what the link carries (" + link.text() + ")";
}

/// The link as seen under load in words, and where it could be read what was reached of what it can carry.
void tell_link(json& out, const Bench& bench, double one_way_gb_s) {
  auto& link = bench.link.best();
  out["link"] = link ? link->text() : "unknown: " + link.error().what;
  out["of_link"] = "n/a";
  if (!link || link->gb_s() <= 0) return;
  out["link_gb_s"] = link->gb_s(), out["link_pct"] = 100 * one_way_gb_s / link->gb_s(), out["of_link"] = of_link(one_way_gb_s, *link);
}

json told(const Speed& speed) {
  auto figure = spread(speed.gb_s);
  return {{"wrong", speed.wrong}, {"found", speed.found}, {"cv_pct", 100 * figure.cv}, {"samples", speed.gb_s.size()}};
}

Result<json> run_one_way(gpu::Device& device, const Task& task, Reporter& report, Towards towards) {
  VT_TRY(auto bench, Bench::make(device, task));
  VT_TRY(auto speed, one_way(bench, towards, gpu::Place::pinned));
  auto out = told(speed);
  out["value"] = spread(speed.gb_s).median;
  out["gated"] = !bench.gate.gave_up();
  tell_link(out, bench, out["value"]);
  report.metric(towards == Towards::device ? "host to device" : "device to host", out["value"], "GB/s", device.info().uuid);
  return out;
}

Result<json> run_pageable(gpu::Device& device, const Task& task) {
  VT_TRY(auto bench, Bench::make(device, task));
  VT_TRY(auto down, one_way(bench, Towards::device, gpu::Place::pageable));
  VT_TRY(auto up, one_way(bench, Towards::host, gpu::Place::pageable));
  return json{{"h2d", spread(down.gb_s).median},
              {"d2h", spread(up.gb_s).median},
              {"wrong", down.wrong + up.wrong},
              {"found", down.wrong > 0 ? down.found : up.found}};
}

Result<json> run_both_ways(gpu::Device& device, const Task& task) {
  VT_TRY(auto bench, Bench::make(device, task));
  VT_TRY(auto down, one_way(bench, Towards::device, gpu::Place::pinned));
  VT_TRY(auto both, both_ways(bench));
  auto out = told(both);
  out["value"] = spread(both.gb_s).median;
  out["of_one_way"] = spread(both.gb_s).median / std::max(spread(down.gb_s).median, 1e-9);
  tell_link(out, bench, spread(down.gb_s).median);
  return out;
}

/// Samples one after the other for a while, verified once at the end: nothing but copies goes on in between.
Result<Speed> for_a_while(Bench& bench, Towards towards, double length) {
  VT_TRY(auto copies, HostCopies::make(bench.device, bench.task, towards));
  VT_TRY(auto count, copies_per_sample(bench, copies, gpu::Place::pinned));
  VT_CHECK(copies.clear());
  Speed out;
  auto start = Clock::now();
  do {
    VT_TRY(auto seconds, time(bench, copies, count, gpu::Place::pinned));
    out.gb_s.push_back(gb_s(copies.bytes() * count, seconds));
  } while (since(start) < length);
  VT_CHECK(verify(bench, copies, out));
  return out;
}

/// Host to device while all the others wait.
Result<Speed> in_turn(Bench& bench, Reporter& report, double seconds) {
  std::optional<Speed> out;
  for (int turn = 0; turn < bench.task.world; ++turn) {
    VT_CHECK(meet(bench.task, report, "turn" + std::to_string(turn)));
    if (turn != bench.task.rank) continue;
    VT_TRY(out, for_a_while(bench, Towards::device, seconds));
  }
  if (!out) return fail(Errc::internal, "this GPU had no turn");
  return *out;
}

Result<json> run_all(gpu::Device& device, const Task& task, Reporter& report) {
  auto seconds = task.number("seconds", task.on_cpu() ? 0 : 1);
  VT_TRY(auto bench, Bench::make(device, task));
  VT_TRY(auto alone, in_turn(bench, report, seconds / 2));
  VT_CHECK(meet(task, report, "h2d"));
  VT_TRY(auto down, for_a_while(bench, Towards::device, seconds));
  VT_CHECK(meet(task, report, "d2h"));
  VT_TRY(auto up, for_a_while(bench, Towards::host, seconds));
  auto single = spread(alone.gb_s).median;
  json out{{"h2d", spread(down.gb_s).median},
           {"d2h", spread(up.gb_s).median},
           {"alone", single},
           {"ratio", spread(down.gb_s).median / std::max(single, 1e-9)},
           {"wrong", alone.wrong + down.wrong + up.wrong},
           {"found", alone.wrong > 0  ? alone.found
                     : down.wrong > 0 ? down.found
                                      : up.found}};
  tell_link(out, bench, out["h2d"]);
  return out;
}

Result<json> run_link(gpu::Device& device, const Task& task) {
  constexpr int kLeastLooks = 5;
  VT_TRY(auto bench, Bench::make(device, task));
  VT_TRY(auto both, BothWays::make(bench));
  VT_CHECK(both.clear());
  auto start = Clock::now();
  do VT_CHECK(both.time(2));
  while (since(start) < task.number("seconds", 1.5) || bench.link.looks() < kLeastLooks);
  if (!bench.link.best()) return fail(bench.link.best().error());
  Speed speed;
  VT_CHECK(both.verify(speed));
  auto& link = *bench.link.best();
  return json{{"value", link.generation_lack()}, {"lanes", link.width_lack()}, {"link", link.text()},
              {"generation", link.generation},   {"width", link.width},        {"theory_gb_s", link.gb_s()},
              {"looks", bench.link.looks()},     {"wrong", speed.wrong},       {"found", speed.found}};
}

}  // namespace

Outcome copy_to_device(const Task& task, gpu::Device& device, Reporter& report) {
  return outcome(device, run_one_way(device, task, report, Towards::device));
}
Outcome copy_to_host(const Task& task, gpu::Device& device, Reporter& report) {
  return outcome(device, run_one_way(device, task, report, Towards::host));
}
Outcome copy_both_ways(const Task& task, gpu::Device& device, Reporter&) { return outcome(device, run_both_ways(device, task)); }
Outcome copy_pageable(const Task& task, gpu::Device& device, Reporter&) { return outcome(device, run_pageable(device, task)); }
/// Every GPU by itself, then all at the same time: what they share on their way to the host's memory shows in `ratio`.
Outcome copy_on_all(const Task& task, gpu::Device& device, Reporter& report) { return outcome(device, run_all(device, task, report)); }
/// The link's generation and width while it carries something.
Outcome pcie_link(const Task& task, gpu::Device& device, Reporter&) { return outcome(device, run_link(device, task)); }

}  // namespace vt::checks
