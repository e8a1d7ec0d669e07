#include <chrono>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/gate.hpp"
#include "remote-agent/checks/mem_cells.hpp"
#include "remote-agent/checks/outcome.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
using Pattern = CellTest::Pattern;
using Order = CellTest::Order;
using kernels::Cells;

Pattern other(Pattern pattern) {
  pattern.complement = !pattern.complement;
  return pattern;
}

/// Both the pattern and its complement, so that every cell has held a one and a zero; read in another order than written, so that
/// what a faulty address decoder wrote twice is not read back right.
Status there_and_back(CellTest& test, const Pattern& pattern, bool fault) {
  for (auto& p : {pattern, other(pattern)}) {
    VT_CHECK(test.write(p));
    if (fault && !p.complement) VT_CHECK(test.damage());
    VT_CHECK(test.check(p, Order::backwards));
  }
  return {};
}

/// Read twice: the second time what the first one may have disturbed.
Status with_reread(CellTest& test, const Pattern& pattern, bool fault) {
  VT_CHECK(test.write(pattern));
  if (fault) VT_CHECK(test.damage());
  VT_CHECK(test.check(pattern, Order::backwards));
  return test.check(pattern, Order::forwards);
}

/// Moving inversions (van de Goor's march of that name): each cell is inverted while its neighbours hold the old and the new value.
Status inversions(CellTest& test, const Pattern& pattern, bool fault) {
  VT_CHECK(test.write(pattern));
  if (fault) VT_CHECK(test.damage());
  VT_CHECK(test.invert(pattern, Order::forwards));
  VT_CHECK(test.invert(other(pattern), Order::backwards));
  return test.check(pattern, Order::forwards);
}

/// What args.patterns may name. `number` counts the passes: shifts and random words differ from one to the next.
struct Method {
  const char* name;
  Status (*run)(CellTest&, std::uint64_t number, bool fault);
};
constexpr Method kMethods[] = {
    {"address",
     [](CellTest& t, std::uint64_t, bool fault) {
       return there_and_back(t, {"own address", Cells::own_address, 0}, fault);
     }},
    {"walking",
     [](CellTest& t, std::uint64_t number, bool fault) {
       return there_and_back(t, {"walking ones and zeros", Cells::walking_bit, number}, fault);
     }},
    {"random",
     [](CellTest& t, std::uint64_t number, bool fault) {
       return with_reread(t, {"random", Cells::random, number << 40}, fault);
     }},
    {"inversions",
     [](CellTest& t, std::uint64_t, bool fault) {
       return inversions(t, {"inversions of 00", Cells::solid, 0}, fault);
     }},
    {"checkers",
     [](CellTest& t, std::uint64_t, bool fault) {
       return inversions(t, {"inversions of 55", Cells::solid, 0x5555555555555555}, fault);
     }},
    {"random_inversions",
     [](CellTest& t, std::uint64_t number, bool fault) {
       return inversions(t, {"inversions of random words", Cells::random, (number << 40) + (1ULL << 39)}, fault);
     }},
};

Result<std::vector<Method>> methods_of(const Task& task) {
  auto names = " " + task.text("patterns") + " ";
  std::vector<Method> out;
  for (auto& method : kMethods)
    if (names == "  " || names.find(" " + std::string(method.name) + " ") != std::string::npos) out.push_back(method);
  if (out.empty()) return fail(Errc::usage, "args.patterns names no pattern: " + task.text("patterns"));
  return out;
}

/// The same memory, copied from one half to the other: what the pass is held against. In GB/s, read and written bytes counted.
Result<double> copy_speed(gpu::Device& device, const TakenMemory& memory) {
  VT_TRY(auto gate, Gate::make(device));
  auto& piece = memory.pieces[0];
  auto half = piece.bytes() / sizeof(kernels::Wide) / 2;
  auto copy = [&] {
    return device.launch(VT_NAMED(vt_copy_wide), {half}, {}, piece.as<kernels::Wide>() + half, piece.as<kernels::Wide>(), half);
  };
  VT_CHECK(copy());  // a kernel that is loaded behind the gate would wait for the gate
  VT_CHECK(device.finish());
  double best = 0;
  for (int i = 0; i < 3; ++i) {
    VT_TRY(auto seconds, gate.time(copy));
    best = std::max(best, 2 * static_cast<double>(half * sizeof(kernels::Wide)) / std::max(seconds, 1e-9) / 1e9);
  }
  return best;
}

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Passes {
  std::uint64_t complete = 0;
  double seconds = 0;
};

/// All methods once, then on until the time is over.
Result<Passes> test_for(double seconds, CellTest& test, const std::vector<Method>& methods, bool fault, Reporter& report) {
  auto start = Clock::now();
  Passes out;
  for (;; ++out.complete)
    for (auto& method : methods) {
      out.seconds = since(start);
      if (out.complete > 0 && out.seconds >= seconds) return out;
      report.progress(std::string(method.name) + ", pass " + std::to_string(out.complete + 1), seconds > 0 ? out.seconds / seconds : 0);
      VT_CHECK(method.run(test, out.complete, std::exchange(fault, false)));
    }
}

Result<json> run(gpu::Device& device, const Task& task, Reporter& report) {
  VT_TRY(auto methods, methods_of(task));
  VT_TRY(auto memory, take_memory(device, task));
  VT_TRY(auto copy, copy_speed(device, memory));
  VT_TRY(auto test, CellTest::make(device, memory));
  VT_TRY(auto passes, test_for(task.number("seconds", 0), test, methods, task.flag("fault"), report));
  auto speed = static_cast<double>(test.moved()) / std::max(passes.seconds, 1e-9) / 1e9;
  report.metric("memory test", speed, "GB/s", device.info().uuid);
  auto& found = test.findings();
  return json{{"wrong", found.count},
              {"found", found.text()},
              {"first", found.all()},
              {"bits", found.bits()},
              {"gib", static_cast<double>(memory.bytes) / (1 << 30)},
              {"tested_pct", 100 * static_cast<double>(memory.bytes) / static_cast<double>(memory.free)},
              {"passes", passes.complete},
              {"seconds", passes.seconds},
              {"speed", speed},
              {"copy", copy},
              {"of_copy_pct", 100 * speed / std::max(copy, 1e-9)}};
}

}  // namespace

/// Writes patterns over all free memory but a reserve and reads them back: at least one pass, then on for args.seconds.
Outcome test_memory(const Task& task, gpu::Device& device, Reporter& report) { return outcome(device, run(device, task, report)); }

}  // namespace vt::checks
