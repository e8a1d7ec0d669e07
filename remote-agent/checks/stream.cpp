#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/host_memory.hpp"
#include "remote-agent/checks/host_processors.hpp"

namespace vt::checks {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kMib = 1024 * 1024, kCacheIfUnknown = 64 * kMib;
constexpr double kScalar = 3.0;

/// The four loops of STREAM (McCalpin, www.cs.virginia.edu/stream) and the bytes per element that it counts: what the program reads
/// and writes, not what a cache fetches before it is overwritten.
struct Loop {
  const char* name;
  double bytes;
};
constexpr std::array kLoops = {Loop{"copy", 16}, Loop{"scale", 16}, Loop{"add", 24}, Loop{"triad", 24}};
using Figures = std::array<double, kLoops.size()>;

struct Arrays {
  double *a, *b, *c;
};

void run(std::size_t loop, const Arrays& x, std::uint64_t from, std::uint64_t to) {
  auto* __restrict a = x.a, * __restrict b = x.b, * __restrict c = x.c;
  switch (loop) {
    case 0:
      for (auto i = from; i < to; i++) c[i] = a[i];
      return;
    case 1:
      for (auto i = from; i < to; i++) b[i] = kScalar * c[i];
      return;
    case 2:
      for (auto i = from; i < to; i++) c[i] = a[i] + b[i];
      return;
    default:
      for (auto i = from; i < to; i++) a[i] = b[i] + kScalar * c[i];
  }
}

/// Small whole numbers: everything after it is exact.
constexpr double first_value(std::uint64_t i) { return static_cast<double>(1 + i % 8); }

/// One round makes a' = 15 a, b' = 3 a, c' = 4 a.
std::uint64_t wrong_elements(const Arrays& x, int rounds, std::uint64_t from, std::uint64_t to) {
  double before = 1;
  for (int r = 1; r < rounds; r++) before *= 15;
  std::uint64_t wrong = 0;
  for (auto i = from; i < to; i++) {
    auto a = before * first_value(i);
    wrong += (x.a[i] != 15 * a) + (x.b[i] != 3 * a) + (x.c[i] != 4 * a);
  }
  return wrong;
}

/// Bytes of the last-level caches of these processors, those that several of them share counted once.
std::uint64_t last_level_cache(const std::vector<int>& cpus) {
  std::uint64_t total = 0;
  std::set<std::string> counted;
  for (auto cpu : cpus) {
    std::string shared, size;
    for (int index = 0; index < 8; index++) {  // the indices ascend with the level
      auto folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(index);
      auto text = agent::read_file(folder + "/shared_cpu_list");
      if (!text.empty()) shared = text, size = agent::read_file(folder + "/size");
    }
    if (!shared.empty() && counted.insert(shared).second) total += std::strtoull(size.c_str(), nullptr, 10) * 1024;  // "32768K"
  }
  return total;
}

struct Measured {
  Figures gb_s{};
  std::uint64_t wrong = 0, array = 0, cache = 0;  ///< array, cache: bytes
};

struct Work {
  Arrays arrays;
  std::uint64_t elements;
  int rounds;
  bool fault;
  std::barrier<> together;
  std::array<double, kLoops.size()> best{};  ///< seconds
  std::atomic<std::uint64_t> wrong = 0;
};

/// Every thread touches its part first, so that it lies in the memory of its own node. The first round does not count.
void work(Work& w, int cpu, std::size_t number, std::size_t threads) {
  pin_to(cpu);
  auto from = w.elements * number / threads, to = w.elements * (number + 1) / threads;
  for (auto i = from; i < to; i++) w.arrays.a[i] = first_value(i), w.arrays.b[i] = 0, w.arrays.c[i] = 0;
  for (int round = 0; round < w.rounds; round++)
    for (std::size_t loop = 0; loop < kLoops.size(); loop++) {
      w.together.arrive_and_wait();
      auto start = Clock::now();
      run(loop, w.arrays, from, to);
      w.together.arrive_and_wait();
      auto seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (number == 0 && round > 0) w.best[loop] = round == 1 ? seconds : std::min(w.best[loop], seconds);
    }
  if (number == 0 && w.fault) reinterpret_cast<std::uint64_t*>(w.arrays.a)[(from + to) / 2] ^= 1;
  w.wrong += wrong_elements(w.arrays, w.rounds, from, to);
}

Result<Measured> measure(const std::vector<int>& cpus, const Task& task) {
  Measured out;
  out.cache = last_level_cache(cpus);
  out.array = 4 * (out.cache ? out.cache : kCacheIfUnknown);
  if (task.number("mib", 0) > 0) out.array = static_cast<std::uint64_t>(task.number("mib", 0)) * kMib;
  if (3 * out.array > free_memory() / 10 * 9)
    return fail(Errc::capacity,
                "needs " + std::to_string(3 * out.array / kMib) + " MiB of free memory, for three arrays of four times the caches");
  VT_TRY(auto area, Area::take(3 * out.array));
  auto elements = out.array / sizeof(double);
  auto* at = area.as<double>();
  auto rounds = std::clamp(static_cast<int>(task.number("rounds", 10)), 2, 12);  // more would not be exact
  Work w{{at, at + elements, at + 2 * elements},
         elements,
         rounds,
         task.flag("fault"),
         std::barrier<>(static_cast<std::ptrdiff_t>(cpus.size()))};
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < cpus.size(); t++) threads.emplace_back([&, t] { work(w, cpus[t], t, cpus.size()); });
  }
  for (std::size_t loop = 0; loop < kLoops.size(); loop++)
    out.gb_s[loop] = static_cast<double>(elements) * kLoops[loop].bytes / std::max(w.best[loop], 1e-9) / 1e9;
  out.wrong = w.wrong;
  return out;
}

}  // namespace

/// Copy, scale, add and triad as STREAM does them: arrays of four times the caches (or args.mib), args.rounds rounds of which the best
/// counts, one thread on each processor; on all nodes at once and, where there are several, on each. GB/s = 10^9 bytes/s. Every element
/// is compared with its exact value; args.fault flips one bit first.
Outcome host_bandwidth(const Task& task, Reporter& report) {
  auto cpus = allowed_processors();
  if (cpus.empty()) return {{}, "", "cannot find out which processors are allowed"};
  auto all = measure(cpus, task);
  if (!all) return {{}, "", all.error().what};
  auto nodes = allowed_by_node();
  auto wrong = all->wrong;
  std::vector<double> triads;
  for (auto& node : nodes) {
    auto one = nodes.size() == 1 ? all : measure(node, task);
    if (!one) return {{}, "", one.error().what};
    triads.push_back(one->gb_s.back());
    if (nodes.size() > 1) wrong += one->wrong;
  }
  Outcome out;
  out.values = {{"wrong", wrong},
                {"threads", cpus.size()},
                {"array_mib", all->array / kMib},
                {"node_triad", triads},
                {"cache_mib", all->cache / kMib}};
  for (std::size_t loop = 0; loop < kLoops.size(); loop++) {
    out.values[kLoops[loop].name] = all->gb_s[loop];
    report.metric(kLoops[loop].name, all->gb_s[loop], "GB/s", "");
  }
  return out;
}

}  // namespace vt::checks
