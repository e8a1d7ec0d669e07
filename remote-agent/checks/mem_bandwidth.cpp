#include <array>

#include "kernels/memory.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/gate.hpp"
#include "remote-agent/checks/miscompares.hpp"
#include "remote-agent/checks/outcome.hpp"
#include "remote-agent/checks/samples.hpp"

namespace vt::checks {

namespace {

using kernels::Wide;
using nlohmann::json;

constexpr std::uint64_t kMib = 1024 * 1024, kSeedB = 11, kSeedC = 12, kFirst = 1'000'003;

/// What is timed: three arrays, and what each of the kernels needs besides.
struct Bench {
  gpu::Device& device;
  gpu::Buffer a, b, c, sum;
  std::uint64_t wides;
  Gate gate;
  bool cpu;
  [[nodiscard]] std::uint64_t words() const { return 2 * wides; }
};

/// At least 1 GiB and 8 times the second-level cache each: a smaller array is timed in the cache. Less where three do not fit.
Result<std::uint64_t> array_bytes(gpu::Device& device, const Task& task) {
  VT_TRY(auto free, device.free_memory());
  auto usual = std::max(1024 * kMib, 8 * device.info().l2) / kMib;
  auto otherwise = task.on_cpu() ? 16.0 : static_cast<double>(usual);
  auto wanted = static_cast<std::uint64_t>(std::max(1.0, task.number("mib", otherwise))) * kMib;
  return std::max(kMib, std::min(wanted, free / 10 * 3 / kMib * kMib));
}

Result<Bench> make_bench(gpu::Device& device, const Task& task) {
  VT_TRY(auto bytes, array_bytes(device, task));
  VT_TRY(auto a, device.allocate(bytes));
  VT_TRY(auto b, device.allocate(bytes));
  VT_TRY(auto c, device.allocate(bytes));
  VT_TRY(auto sum, device.allocate(2 * sizeof(std::uint64_t)));
  VT_TRY(auto gate, Gate::make(device));
  Bench out{device,         std::move(a),         std::move(b),    std::move(c),
            std::move(sum), bytes / sizeof(Wide), std::move(gate), device.info().is_cpu()};
  VT_CHECK(fill_words(device, out.b, out.words(), kSeedB));
  VT_CHECK(fill_words(device, out.c, out.words(), kSeedC));
  return out;
}

/// One of the ways to use memory. `check` says how many words were wrong after it ran at least once.
struct Way {
  const char* name;
  unsigned arrays;  ///< read or written once each
  Status (*run)(Bench&, gpu::Grid);
  Result<std::uint64_t> (*check)(Bench&);
};

Result<std::uint64_t> count_of(Result<kernels::Miscompares> wrong) {
  VT_TRY(auto found, std::move(wrong));
  return std::uint64_t{found.count};
}

Status copy(Bench& m, gpu::Grid grid) { return m.device.launch(VT_NAMED(vt_copy_wide), grid, {}, m.a.as<Wide>(), m.b.as<Wide>(), m.wides); }
Result<std::uint64_t> check_copy(Bench& m) { return count_of(verify_words(m.device, m.a, m.words(), kSeedB)); }

Status read(Bench& m, gpu::Grid grid) {
  VT_CHECK(m.device.set(m.sum.as<void>(), 0, sizeof(std::uint64_t)));
  return m.device.launch(VT_NAMED(vt_read_wide), grid, {}, m.b.as<Wide>(), m.wides, m.sum.as<kernels::u64>());
}
/// The sum of what was read against the sum of what was written, made anew without the memory.
Result<std::uint64_t> check_read(Bench& m) {
  auto* expected = m.sum.as<kernels::u64>() + 1;
  VT_CHECK(m.device.set(expected, 0, sizeof *expected));
  VT_CHECK(m.device.launch(VT_NAMED(vt_sum_words), {m.words()}, {}, m.words(), kSeedB, expected));
  std::array<std::uint64_t, 2> sums{};
  VT_CHECK(m.device.copy(sums.data(), m.sum.as<void>(), sizeof sums));
  VT_CHECK(m.device.finish());
  return std::uint64_t{sums[0] == sums[1] ? 0U : 1U};
}

Status write(Bench& m, gpu::Grid grid) { return m.device.launch(VT_NAMED(vt_write_wide), grid, {}, m.a.as<Wide>(), m.wides, kFirst); }
Result<std::uint64_t> check_write(Bench& m) {
  return count_of(count_wrong(m.device, [&](kernels::Miscompares* wrong) {
    return m.device.launch(VT_NAMED(vt_verify_count), {m.words()}, {}, m.a.as<kernels::u64>(), m.words(), kFirst, wrong);
  }));
}

Status triad(Bench& m, gpu::Grid grid) {
  return m.device.launch(VT_NAMED(vt_triad_wide), grid, {}, m.a.as<Wide>(), m.b.as<Wide>(), m.c.as<Wide>(), m.wides);
}
Result<std::uint64_t> check_triad(Bench& m) {
  return count_of(count_wrong(m.device, [&](kernels::Miscompares* wrong) {
    return m.device.launch(VT_NAMED(vt_verify_triad), {m.words()}, {}, m.a.as<kernels::u64>(), m.words(), kSeedB, kSeedC, wrong);
  }));
}

/// The driver's own copy within the device, which is what nvbandwidth times (and counts once).
Status driver_copy(Bench& m, gpu::Grid) { return m.device.copy(m.a.as<void>(), m.b.as<void>(), m.wides * sizeof(Wide)); }

constexpr Way kWays[] = {{"copy", 2, copy, check_copy},
                         {"read", 1, read, check_read},
                         {"write", 1, write, check_write},
                         {"triad", 3, triad, check_triad},
                         {"driver_copy", 2, driver_copy, check_copy}};

Result<double> time(Bench& m, const Way& way, gpu::Grid grid, int launches) {
  return m.gate.time([&]() -> Status {
    for (int i = 0; i < launches; ++i) VT_CHECK(way.run(m, grid));
    return {};
  });
}

/// How the work is cut up matters by a few percent and differs between GPUs: each shape is tried once, the best is measured.
Result<gpu::Grid> best_grid(Bench& m, const Way& way) {
  gpu::Grid best{m.wides};
  if (m.cpu) return best;
  auto sms = static_cast<unsigned>(m.device.info().multiprocessors);
  double shortest = 0;
  for (gpu::Grid grid : {gpu::Grid{m.wides, 2 * sms, 1024}, {m.wides, 4 * sms, 512}, {m.wides, 8 * sms, 256}, {m.wides, 32 * sms, 256}}) {
    VT_TRY(auto seconds, time(m, way, grid, 2));
    if (shortest == 0 || seconds < shortest) shortest = seconds, best = grid;
  }
  return best;
}

struct Figure {
  Spread gb_s;
  std::uint64_t wrong = 0;
};

/// Samples of at least 20 ms each, after a warm-up that says how many launches that takes.
Result<Figure> measure(Bench& m, const Way& way, int samples) {
  VT_CHECK(m.device.set(m.a.as<void>(), 0x5A, m.wides * sizeof(Wide)));
  VT_CHECK(way.run(m, {m.wides}));  // a kernel that is loaded behind the gate would wait for the gate
  VT_CHECK(m.device.finish());
  VT_TRY(auto grid, best_grid(m, way));
  VT_TRY(auto once, time(m, way, grid, 1));
  int launches = m.cpu ? 1 : static_cast<int>(std::clamp(0.02 / std::max(once, 1e-6), 1.0, 64.0));
  auto bytes = static_cast<double>(way.arrays) * static_cast<double>(m.wides * sizeof(Wide)) * launches;
  std::vector<double> speeds;
  for (int i = 0; i < samples; ++i) {
    VT_TRY(auto seconds, time(m, way, grid, launches));
    speeds.push_back(bytes / std::max(seconds, 1e-9) / 1e9);
  }
  Figure out{spread(speeds), 0};
  VT_TRY(out.wrong, way.check(m));
  return out;
}

Result<json> run(gpu::Device& device, const Task& task, Reporter& report) {
  VT_TRY(auto bench, make_bench(device, task));
  if (task.flag("fault")) VT_CHECK(damage(device, bench.b, bench.words() / 3));
  auto samples = static_cast<int>(std::clamp(task.number("samples", task.on_cpu() ? 3 : 7), 1.0, 1000.0));
  json out{{"mib", bench.wides * sizeof(Wide) / kMib}, {"wrong", 0}};
  std::uint64_t wrong = 0;
  double noise = 0, done = 0;
  for (auto& way : kWays) {
    report.progress(way.name, done++ / std::size(kWays));
    VT_TRY(auto figure, measure(bench, way, samples));
    report.metric(way.name, figure.gb_s.median, "GB/s", device.info().uuid);
    out[way.name] = figure.gb_s.median, wrong += figure.wrong, noise = std::max(noise, figure.gb_s.cv);
  }
  out["wrong"] = wrong, out["cv_pct"] = 100 * noise;
  return out;
}

}  // namespace

Outcome memory_bandwidth(const Task& task, gpu::Device& device, Reporter& report) { return outcome(device, run(device, task, report)); }

}  // namespace vt::checks
