#include <algorithm>
#include <array>
#include <mutex>
#include <thread>
#include <vector>

#include "kernels/pattern.hpp"
#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/host_memory.hpp"
#include "remote-agent/checks/host_processors.hpp"
#include "remote-agent/checks/miscompares.hpp"

namespace vt::checks {

namespace {

constexpr std::uint64_t kMib = 1024 * 1024;
constexpr std::size_t kErrorsKept = 16;

/// What the n-th word of the area holds.
using Word = std::uint64_t (*)(std::uint64_t n);
constexpr std::uint64_t zeros(std::uint64_t) { return 0; }
constexpr std::uint64_t ones(std::uint64_t) { return ~std::uint64_t{0}; }
constexpr std::uint64_t checkers(std::uint64_t) { return 0xAAAAAAAAAAAAAAAA; }
constexpr std::uint64_t anticheckers(std::uint64_t) { return 0x5555555555555555; }
constexpr std::uint64_t own_number(std::uint64_t n) { return n; }
std::uint64_t random_word(std::uint64_t n) { return kernels::word_at(1, n); }

/// One way over the area: every word must hold `expect`, if given, and then gets `write`, if given.
struct Sweep {
  const char* pattern;
  bool down;
  Word expect, write;
};
/// Words in their own places find wrong address lines; moving inversions (up, then down) cells that lean on a neighbour, as memtest86
/// does; random words are read twice, for cells that do not survive being read.
constexpr std::array kSweeps = {
    Sweep{"addresses", false, nullptr, own_number},
    Sweep{"addresses", false, own_number, zeros},
    Sweep{"inversions of zeros", false, zeros, ones},
    Sweep{"inversions of zeros", true, ones, checkers},
    Sweep{"inversions of checkers", false, checkers, anticheckers},
    Sweep{"inversions of checkers", true, anticheckers, random_word},
    Sweep{"random", false, random_word, nullptr},
    Sweep{"random, again", true, random_word, nullptr},
};

struct Miss {
  const char* pattern;
  const volatile void* at;
  std::uint64_t expected, found;
};

struct Test {
  volatile std::uint64_t* area;
  std::int64_t stop_at;
  bool fault;
  Reporter& report;
  std::mutex mutex;
  std::uint64_t wrong = 0;
  std::vector<Miss> misses;
  bool complete = true;

  void miss(const Sweep& sweep, std::uint64_t n, std::uint64_t found) {
    std::lock_guard hold(mutex);
    wrong++;
    if (misses.size() < kErrorsKept) misses.push_back({sweep.pattern, area + n, sweep.expect(n), found});
  }
};

void run(const Sweep& sweep, Test& test, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t i = from; i < to; i++) {
    auto n = sweep.down ? to - 1 - (i - from) : i;
    if (sweep.expect)
      if (std::uint64_t found = test.area[n]; found != sweep.expect(n)) test.miss(sweep, n, found);
    if (sweep.write) test.area[n] = sweep.write(n);
  }
}

/// Every processor has a part of its own, so that all channels work at once; a part is larger than a processor's caches.
void run_all(Test& test, int cpu, bool first, std::uint64_t from, std::uint64_t to) {
  pin_to(cpu);
  for (std::size_t i = 0; i < kSweeps.size(); i++) {
    if (agent::boot_ms() > test.stop_at) {
      std::lock_guard hold(test.mutex);
      test.complete = false;
      return;
    }
    if (first) test.report.progress(kSweeps[i].pattern, static_cast<double>(i) / kSweeps.size());
    run(kSweeps[i], test, from, to);
    if (first && i == 0 && test.fault) test.area[(from + to) / 2] = test.area[(from + to) / 2] ^ 1;
  }
}

std::string told(const Miss& m) {
  auto physical = physical_address(const_cast<const void*>(m.at));
  auto where = physical ? "physical " + hex(physical)
                        : "virtual " + hex(reinterpret_cast<std::uint64_t>(m.at)) + " (the physical one is root's to know)";
  return std::string(m.pattern) + " at " + where + ": expected " + hex(m.expected) + ", found " + hex(m.found);
}

std::uint64_t wanted_bytes(const Task& task) {
  auto share = std::clamp(task.number("share", 0.1), 0.0, 0.95);
  auto free_mib = free_memory() / kMib;
  auto mib = task.number("mib", static_cast<double>(free_mib) * share);
  return static_cast<std::uint64_t>(std::max(1.0, mib)) * kMib;
}

}  // namespace

/// Writes and reads back args.share of the free memory (or args.mib MiB) under several patterns on all processors at once; every word that
/// came back different is counted, the first ones with address, expected and found. args.fault flips one bit to show that it is found.
Outcome verify_memory(const Task& task, Reporter& report) {
  auto area = Area::take(wanted_bytes(task));
  if (!area) return {{}, "", area.error().what};
  bool locked = area->lock();
  auto cpus = allowed_processors();
  if (cpus.empty()) return {{}, "", "cannot find out which processors are allowed"};
  Test test{area->as<volatile std::uint64_t>(), agent::boot_ms() + task.deadline_ms * 8 / 10, task.flag("fault"), report, {}, 0, {}, true};
  auto words = area->bytes() / sizeof(std::uint64_t);
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < cpus.size(); t++)
    threads.emplace_back([&, t] { run_all(test, cpus[t], t == 0, words * t / cpus.size(), words * (t + 1) / cpus.size()); });
  threads.clear();
  if (!test.complete && test.wrong == 0)
    return {{}, "", "not all patterns were done in time: it needs more of it, or a smaller share of the memory"};
  std::vector<std::string> errors;
  for (auto& miss : test.misses) errors.push_back(told(miss));
  return {
      {{"wrong", test.wrong}, {"mib", area->bytes() / kMib}, {"sweeps", kSweeps.size()}, {"locked", locked}, {"errors", errors}}, "", ""};
}

}  // namespace vt::checks
