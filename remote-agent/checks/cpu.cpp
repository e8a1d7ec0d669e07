#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <thread>
#include <vector>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/host_processors.hpp"

namespace vt::checks {

namespace {

constexpr int kSteps = 4096;
constexpr std::uint64_t kSeed = 0x5EED5EED5EED5EEDULL;

constexpr std::uint64_t integer_chain(std::uint64_t x) {
  for (int i = 0; i < kSteps; i++) x = std::rotl(x * 0x2545F4914F6CDD1DULL + 0x9E37ULL, 23) ^ (x % 0xFFFFFFFBULL) ^ (x >> 7);
  return x;
}

/// A chaotic map of basic operations, which IEEE 754 rounds one way only: one wrong bit changes everything after it. T is a number
/// or a vector of them, whose lanes are as many maps.
template <class T>
[[gnu::always_inline]] constexpr void float_chain(T& x) {
  for (int i = 0; i < kSteps; i++) {
    x = 3.9 * x * (1.0 - x);
    x = (x + 1.0 / (1.0 + x)) / 2.0;
    x = x * 1.5 - 0.4;
    T folded = 0.5 / (1.0 + x * x);
    x = (x <= 0.0) | (x >= 1.0) ? folded : x;
  }
}

constexpr int kLanes = 8;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

constexpr double start_of(int lane) { return 0.3 + 0.05 * lane; }

/// The known answers come out of the compiler, on another machine.
constexpr std::uint64_t kInteger = integer_chain(kSeed);
constexpr auto kFloat = [] {
  std::array<std::uint64_t, kLanes> out{};
  for (int lane = 0; lane < kLanes; lane++) {
    double x = start_of(lane);
    float_chain(x);
    out[static_cast<std::size_t>(lane)] = std::bit_cast<std::uint64_t>(x);
  }
  return out;
}();

/// The same lanes once for each width of vector unit this processor may have: a unit may be broken that nothing else uses.
void vector_chain(Lanes& x) { float_chain(x); }
#if defined(__x86_64__)
[[gnu::target("avx2")]] void vector_chain_avx2(Lanes& x) { float_chain(x); }
[[gnu::target("avx512f")]] void vector_chain_avx512(Lanes& x) { float_chain(x); }
#endif

struct Unit {
  const char* name;
  void (*chain)(Lanes&);
};

std::vector<Unit> vector_units() {
#if defined(__x86_64__)
  std::vector<Unit> out = {{"sse2", vector_chain}};
  if (__builtin_cpu_supports("avx2")) out.push_back({"avx2", vector_chain_avx2});
  if (__builtin_cpu_supports("avx512f")) out.push_back({"avx512", vector_chain_avx512});
  return out;
#else
  return {{"simd", vector_chain}};
#endif
}

std::int64_t wrong_lanes(const Unit& unit) {
  Lanes x{};
  for (int lane = 0; lane < kLanes; lane++) {
    volatile double start = start_of(lane);  // volatile: computed here and now, not by the compiler
    x[lane] = start;
  }
  unit.chain(x);
  std::int64_t wrong = 0;
  for (int lane = 0; lane < kLanes; lane++) wrong += std::bit_cast<std::uint64_t>(x[lane]) != kFloat[static_cast<std::size_t>(lane)];
  return wrong;
}

std::int64_t wrong_scalars(std::uint64_t fault) {
  volatile std::uint64_t seed = kSeed ^ fault;
  volatile double start = start_of(0);
  double x = start;
  float_chain(x);
  return (integer_chain(seed) != kInteger) + (std::bit_cast<std::uint64_t>(x) != kFloat[0]);
}

struct Tally {
  std::atomic<std::int64_t> rounds = 0, wrong = 0, unpinned = 0;
  std::mutex mutex;
  std::vector<int> bad;  ///< processors that were wrong
};

void verify_on(int cpu, std::int64_t until, std::uint64_t fault, const std::vector<Unit>& units, Tally& tally) {
  if (!pin_to(cpu)) tally.unpinned++;
  std::int64_t wrong = 0;
  do {
    wrong += wrong_scalars(fault);
    for (auto& unit : units) wrong += wrong_lanes(unit);
    tally.rounds++;
  } while (agent::boot_ms() < until);
  tally.wrong += wrong;
  std::lock_guard hold(tally.mutex);
  if (wrong) tally.bad.push_back(cpu);
}

std::vector<std::string> names_of(const std::vector<Unit>& units) {
  std::vector<std::string> out = {"integer", "float"};
  for (auto& unit : units) out.emplace_back(unit.name);
  return out;
}

}  // namespace

/// Integer, floating-point and vector chains with known answers on every processor at once, for args.seconds. args.fault flips one
/// bit on the first of them, to show that it would be found.
Outcome verify_cpu(const Task& task, Reporter& report) {
  auto seconds = task.number("seconds", 1);
  auto until = agent::boot_ms() + static_cast<std::int64_t>(seconds * 1000);
  auto cpus = allowed_processors();
  if (cpus.empty()) return {{}, "", "cannot find out which processors are allowed"};
  auto units = vector_units();
  Tally tally;
  std::vector<std::jthread> threads;
  for (auto cpu : cpus)
    threads.emplace_back([&, cpu] { verify_on(cpu, until, task.flag("fault") && cpu == cpus.front() ? 1 : 0, units, tally); });
  threads.clear();
  report.metric("rounds_per_second", static_cast<double>(tally.rounds) / std::max(seconds, 0.001), "1/s", "");
  return {{{"wrong", tally.wrong.load()},
           {"rounds", tally.rounds.load()},
           {"processors", cpus.size()},
           {"units", names_of(units)},
           {"bad", tally.bad},
           {"unpinned", tally.unpinned.load()}},
          "",
          ""};
}

}  // namespace vt::checks
