#include <sched.h>

#include <atomic>
#include <bit>
#include <mutex>
#include <thread>
#include <vector>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/pattern.hpp"
#include "remote-agent/base/os.hpp"

namespace vt::checks {

namespace {

constexpr int kSteps = 4096;
constexpr std::uint64_t kSeed = 0x5EED5EED5EED5EEDULL;

constexpr std::uint64_t integer_chain(std::uint64_t x) {
  for (int i = 0; i < kSteps; i++) x = std::rotl(x * 0x2545F4914F6CDD1DULL + 0x9E37ULL, 23) ^ (x % 0xFFFFFFFBULL) ^ (x >> 7);
  return x;
}

/// A chaotic map of basic operations, which IEEE 754 rounds one way only: one wrong bit changes everything after it.
constexpr std::uint64_t float_chain(double x) {
  for (int i = 0; i < kSteps; i++) {
    x = 3.9 * x * (1.0 - x);
    x = (x + 1.0 / (1.0 + x)) / 2.0;
    x = x * 1.5 - 0.4;
    if (x <= 0.0 || x >= 1.0) x = 0.5 / (1.0 + x * x);
  }
  return std::bit_cast<std::uint64_t>(x);
}

/// The known answers come out of the compiler, on another machine.
constexpr std::uint64_t kInteger = integer_chain(kSeed);
constexpr std::uint64_t kFloat = float_chain(0.3);

std::vector<int> allowed_processors() {
  constexpr int kMost = 8192;
  auto* set = CPU_ALLOC(kMost);
  std::vector<int> out;
  if (sched_getaffinity(0, CPU_ALLOC_SIZE(kMost), set) == 0)
    for (int cpu = 0; cpu < kMost; cpu++)
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), CPU_ALLOC_SIZE(kMost), set)) out.push_back(cpu);
  CPU_FREE(set);
  return out;
}

bool pin_to(int cpu) {
  auto size = CPU_ALLOC_SIZE(cpu + 1);
  auto* set = CPU_ALLOC(cpu + 1);
  CPU_ZERO_S(size, set);
  CPU_SET_S(static_cast<std::size_t>(cpu), size, set);
  bool done = sched_setaffinity(0, size, set) == 0;
  CPU_FREE(set);
  return done;
}

struct Tally {
  std::atomic<std::int64_t> rounds = 0, wrong = 0, unpinned = 0;
  std::mutex mutex;
  std::vector<int> bad;  ///< processors that were wrong
};

void verify_on(int cpu, std::int64_t until, std::uint64_t injected, Tally& tally) {
  if (!pin_to(cpu)) tally.unpinned++;
  std::int64_t wrong = 0;
  do {
    volatile std::uint64_t seed = kSeed ^ injected;  // volatile: computed here and now, not by the compiler
    volatile double start = 0.3;
    wrong += (integer_chain(seed) != kInteger) + (float_chain(start) != kFloat);
    tally.rounds++;
  } while (agent::boot_ms() < until);
  tally.wrong += wrong;
  std::lock_guard hold(tally.mutex);
  if (wrong) tally.bad.push_back(cpu);
}

}  // namespace

/// Integer and floating-point chains with known answers on every processor at once, for args.seconds. args.inject flips one
/// bit on the first of them, to show that it would be found.
Outcome verify_cpu(const Task& task, Reporter& report) {
  auto seconds = task.number("seconds", 1);
  auto until = agent::boot_ms() + static_cast<std::int64_t>(seconds * 1000);
  auto cpus = allowed_processors();
  if (cpus.empty()) return {{}, "", "cannot find out which processors are allowed"};
  Tally tally;
  std::vector<std::jthread> threads;
  for (auto cpu : cpus)
    threads.emplace_back([&, cpu] { verify_on(cpu, until, task.flag("inject") && cpu == cpus.front() ? 1 : 0, tally); });
  threads.clear();
  report.metric("rounds_per_second", static_cast<double>(tally.rounds) / std::max(seconds, 0.001), "1/s", "");
  return {{{"wrong", tally.wrong.load()},
           {"rounds", tally.rounds.load()},
           {"processors", cpus.size()},
           {"bad", tally.bad},
           {"unpinned", tally.unpinned.load()}},
          "",
          ""};
}

}  // namespace vt::checks
