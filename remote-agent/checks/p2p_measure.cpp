#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>

#include "remote-agent/checks/chain.hpp"
#include "remote-agent/checks/gate.hpp"
#include "remote-agent/checks/links_transfer.hpp"
#include "remote-agent/checks/mem_taken.hpp"
#include "remote-agent/checks/outcome.hpp"
#include "remote-agent/checks/samples.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;

/// A figure of every ordered pair; nothing where there is none.
struct Matrix {
  std::string title;
  std::size_t devices;
  std::vector<std::optional<double>> cells = std::vector<std::optional<double>>(devices * devices);

  std::optional<double>& at(const Pair& pair, const std::vector<gpu::Device*>& all) {
    auto place = [&](gpu::Device* d) { return static_cast<std::size_t>(std::find(all.begin(), all.end(), d) - all.begin()); };
    return cells.at(place(pair.from) * devices + place(pair.to));
  }
  /// A row sends, a column receives.
  [[nodiscard]] std::string text() const {
    std::string out = title + "\n      ";
    char cell[32];
    for (std::size_t c = 0; c < devices; ++c) std::snprintf(cell, sizeof cell, "%9s%zu", "GPU ", c), out += cell;
    for (std::size_t r = 0; r < devices; ++r) {
      std::snprintf(cell, sizeof cell, "\nGPU %-2zu", r), out += cell;
      for (std::size_t c = 0; c < devices; ++c) {
        auto& value = cells[r * devices + c];
        if (value) std::snprintf(cell, sizeof cell, "%10.2f", *value);
        out += value ? cell : "         -";
      }
    }
    return out + "\n";
  }
  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> out;
    for (auto& cell : cells)
      if (cell) out.push_back(*cell);
    return out;
  }
};

/// What both checks share: the devices, their pairs, and what verification found.
struct Bench {
  std::vector<gpu::Device*> devices;
  const Task& task;
  Reporter& report;
  std::vector<Pair> pairs = pairs_of(devices);
  std::uint64_t wrong = 0;
  std::vector<std::string> failing = {};
  std::map<gpu::Device*, Gate> gates = {};  ///< of the sending device: one that gave up once would do so again

  Result<Gate*> gate_of(gpu::Device& device) {
    auto found = gates.find(&device);
    if (found != gates.end()) return &found->second;
    VT_TRY(auto made, Gate::make(device));
    return &gates.emplace(&device, std::move(made)).first->second;
  }

  [[nodiscard]] Matrix matrix(std::string title) const { return {std::move(title), devices.size()}; }
  Status verify(const Pair& pair, Transfers& transfers, std::size_t bytes, const char* how) {
    VT_TRY(auto arrived, transfers.carry(Path::copy, bytes, task.flag("fault")));
    wrong += arrived.wrong.count;
    if (arrived.wrong.count > 0) failing.push_back(pair.text() + how + ": " + arrived.text());
    return {};
  }
  /// One figure for every pair, into the matrix.
  Status fill(Matrix& into, const std::vector<Pair>& of, const std::function<Result<double>(const Pair&)>& measure) {
    for (auto& pair : of) {
      report.progress(into.title + ": " + pair.text(), 0);
      VT_TRY(into.at(pair, devices), measure(pair));
    }
    return {};
  }
  /// Those pairs that reach each other from now on.
  Result<std::vector<Pair>> connect() {
    gates.clear();  // copies between peers are another kind of work
    std::vector<Pair> out;
    for (auto& pair : pairs) {
      auto reached = pair.from->reach(*pair.to);
      if (!reached && reached.error().code == Errc::lost) return fail(reached.error());
      if (reached) out.push_back(pair);
    }
    return out;
  }
  void into(json& out) const { out["wrong"] = wrong, out["failing"] = failing; }
};

/// args.mib MiB a copy: 256, on the processor 1; half as much as fits once, as both ways need it twice.
Result<std::size_t> copy_bytes(const Task& task, const Pair& pair) {
  auto mib = std::clamp(task.number("mib", task.on_cpu() ? 1 : 256), 1.0, 65536.0);
  auto wanted = 2 * static_cast<std::size_t>(mib) * 1024 * 1024;
  VT_TRY(auto at_sender, fitting(*pair.from, wanted));
  VT_TRY(auto most, fitting(*pair.to, at_sender));
  return most / 2;
}

/// Seconds of one of several copies behind the gate: the median of three samples.
Result<double> seconds_per_copy(Bench& bench, gpu::Device& device, int copies, const Gate::Enqueue& enqueue_one, gpu::Stream stream = {}) {
  VT_TRY(auto* gate, bench.gate_of(device));
  VT_CHECK(enqueue_one());
  VT_CHECK(device.finish(stream));
  std::vector<double> samples;
  for (int i = 0; i < 3; ++i) {
    VT_TRY(auto seconds, gate->time(
                             [&]() -> Status {
                               for (int c = 0; c < copies; ++c) VT_CHECK(enqueue_one());
                               return {};
                             },
                             stream));
    samples.push_back(seconds / copies);
  }
  return spread(samples).median;
}

Result<double> one_way(Bench& bench, const Pair& pair, const char* how) {
  VT_TRY(auto bytes, copy_bytes(bench.task, pair));
  VT_TRY(auto transfers, Transfers::make(pair, bytes));
  VT_TRY(auto seconds, seconds_per_copy(bench, *pair.from, bench.task.on_cpu() ? 2 : 8, [&] { return transfers.move(Path::copy, bytes); }));
  VT_CHECK(bench.verify(pair, transfers, bytes, how));
  return static_cast<double>(bytes) / std::max(seconds, 1e-9) / 1e9;
}

/// Both directions at once, each sent by its own device; the figure is of both together.
Result<double> both_ways(Bench& bench, const Pair& pair, const char* how) {
  VT_TRY(auto bytes, copy_bytes(bench.task, pair));
  VT_TRY(auto there, Transfers::make(pair, bytes));
  VT_TRY(auto back, Transfers::make({pair.to, pair.from}, bytes));
  VT_TRY(auto a, pair.from->new_stream());
  VT_TRY(auto b, pair.to->new_stream());
  VT_TRY(auto done, pair.to->new_mark());
  VT_TRY(auto* gate, bench.gate_of(*pair.from));
  int copies = bench.task.on_cpu() ? 2 : 8;
  auto enqueue = [&]() -> Status {
    VT_CHECK(pair.to->after(b, gate->start()));
    for (int i = 0; i < copies; ++i) {
      VT_CHECK(there.move(Path::copy, bytes, a));
      VT_CHECK(back.move(Path::copy, bytes, b));
    }
    VT_CHECK(pair.to->mark(done, b));
    return pair.from->after(a, done);
  };
  VT_TRY(auto warm, gate->time(enqueue, a));
  VT_TRY(auto seconds, gate->time(enqueue, a));
  VT_CHECK(bench.verify(pair, there, bytes, how));
  VT_CHECK(bench.verify({pair.to, pair.from}, back, bytes, how));
  return 2 * copies * static_cast<double>(bytes) / std::max(std::min(warm, seconds), 1e-9) / 1e9;
}

std::vector<Pair> unordered(const std::vector<Pair>& pairs) {
  std::vector<Pair> out;
  for (auto& pair : pairs)
    if (pair.from->info().ordinal <= pair.to->info().ordinal) out.push_back(pair);
  return out;
}

/// Where there is peer access its figure counts, else the one without.
std::vector<double> best_of(const Matrix& with, const Matrix& without) {
  Matrix out = without;
  for (std::size_t i = 0; i < out.cells.size(); ++i)
    if (with.cells[i]) out.cells[i] = with.cells[i];
  return out.values();
}

Result<json> run_bandwidth(Bench bench) {
  auto without = bench.matrix("GB/s one way, without peer access"), with = bench.matrix("GB/s one way, with peer access");
  auto both_without = bench.matrix("GB/s both ways together, without peer access");
  auto both_with = bench.matrix("GB/s both ways together, with peer access");
  constexpr auto kWithout = ", without peer access", kWith = ", with peer access";
  VT_CHECK(bench.fill(without, bench.pairs, [&](auto& pair) { return one_way(bench, pair, kWithout); }));
  VT_CHECK(bench.fill(both_without, unordered(bench.pairs), [&](auto& pair) { return both_ways(bench, pair, kWithout); }));
  VT_TRY(auto peers, bench.connect());
  VT_CHECK(bench.fill(with, peers, [&](auto& pair) { return one_way(bench, pair, kWith); }));
  VT_CHECK(bench.fill(both_with, unordered(peers), [&](auto& pair) { return both_ways(bench, pair, kWith); }));
  json out{{"value", best_of(with, without)}, {"both_ways", best_of(both_with, both_without)}, {"peers", peers.size()}};
  out["table"] = without.text() + (peers.empty() ? "" : with.text()) + both_without.text() + (peers.empty() ? "" : both_with.text());
  out["without"] = without.values(), out["with"] = with.values();
  bench.into(out);
  return out;
}

/// Microseconds of the smallest copy, one after the other in a stream.
Result<double> copy_latency(Bench& bench, const Pair& pair, const char* how) {
  constexpr std::size_t kBytes = 8;
  VT_TRY(auto transfers, Transfers::make(pair, kBytes));
  VT_TRY(auto seconds, seconds_per_copy(bench, *pair.from, 32, [&] { return transfers.move(Path::copy, kBytes); }));
  VT_CHECK(bench.verify(pair, transfers, kBytes, how));
  return 1e6 * seconds;
}

/// Microseconds of one read of the receiving device's memory by a kernel of the sending one.
Result<double> read_latency(Bench& bench, const Pair& pair) {
  Chain chain(2 * 1024 * 1024);
  auto bytes = chain.words().size() * sizeof(std::uint64_t);
  VT_TRY(auto there, pair.to->allocate(bytes));
  VT_CHECK(pair.to->copy(there.as<void>(), chain.words().data(), bytes));
  VT_CHECK(pair.to->finish());
  std::vector<double> us;
  for (int i = 0; i < 3; ++i) {
    VT_TRY(auto chased, chase(*pair.from, chain, there.as<void>(), bench.task.on_cpu() ? 10'000 : 50'000));
    us.push_back(1e6 * chased.seconds_per_step);
    if (!chased.right) ++bench.wrong, bench.failing.push_back(pair.text() + ", reads by kernel: came to the wrong word");
  }
  return spread(us).median;
}

Result<json> run_latency(Bench bench) {
  auto without = bench.matrix("microseconds of an 8-byte copy, without peer access");
  auto with = bench.matrix("microseconds of an 8-byte copy, with peer access");
  auto read = bench.matrix("microseconds of a read by kernel (row reads column)");
  VT_CHECK(bench.fill(without, bench.pairs, [&](auto& pair) { return copy_latency(bench, pair, ", without peer access"); }));
  VT_TRY(auto peers, bench.connect());
  VT_CHECK(bench.fill(with, peers, [&](auto& pair) { return copy_latency(bench, pair, ", with peer access"); }));
  VT_CHECK(bench.fill(read, peers, [&](auto& pair) { return read_latency(bench, pair); }));
  json out{{"value", best_of(with, without)}, {"peers", peers.size()}, {"read", read.values()}};
  out["table"] = without.text() + (peers.empty() ? "" : with.text() + read.text());
  bench.into(out);
  return out;
}

}  // namespace

/// GB/s between every two GPUs, one way and both ways, without and with peer access.
Outcome p2p_bandwidth(const Task& task, gpu::Devices& devices, Reporter& report) {
  return outcome(*devices.at(0), run_bandwidth({pointers(devices), task, report}));
}
/// The shortest time between every two GPUs.
Outcome p2p_latency(const Task& task, gpu::Devices& devices, Reporter& report) {
  return outcome(*devices.at(0), run_latency({pointers(devices), task, report}));
}

}  // namespace vt::checks
