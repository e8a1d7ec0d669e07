#include <algorithm>
#include <chrono>
#include <cmath>

#include "kernels/coverage.hpp"
#include "remote-agent/checks/miscompares.hpp"
#include "remote-agent/checks/outcome.hpp"

namespace vt::checks {

namespace {

using kernels::kQuestions, kernels::kUnits, kernels::Unit, kernels::UnitTally;
using nlohmann::json;

constexpr const char* kNames[kUnits] = {"integer", "fp32", "fp64", "special", "tensor"};
constexpr std::size_t kRoom = 1024;  // multiprocessors; no GPU has as many, but their numbers need not be without gaps

std::size_t place_of(Unit unit, std::uint64_t question) { return static_cast<std::size_t>(unit) * kQuestions + question; }

/// What the whole check has seen.
struct Seen {
  std::vector<UnitTally> tallies = std::vector<UnitTally>(kRoom);
  std::uint64_t wrong = 0, rounds = 0;
  std::string first;
};

/// "multiprocessor 17, fp64, question 3: expected 0x…, found 0x…"
std::string place(const kernels::Miscompare& one) {
  auto question = one.index % kQuestions, unit = one.index / kQuestions % kUnits, number = one.index / kQuestions / kUnits;
  return "multiprocessor " + std::to_string(number) + ", " + kNames[unit] + ", question " + std::to_string(question) + ": expected " +
         hex(one.expected) + ", found " + hex(one.found);
}

/// The device's own special functions, which must be near the processor's; all of its multiprocessors are then held to them.
Status ask_special(gpu::Device& device, std::vector<kernels::u64>& expected, Seen& seen) {
  VT_TRY(auto there, device.allocate(kQuestions * sizeof(kernels::u64)));
  VT_CHECK(device.launch(VT_NAMED(vt_special_answers), {kQuestions}, {}, there.as<kernels::u64>()));
  auto* first = &expected[place_of(Unit::special, 0)];
  VT_CHECK(device.copy(first, there.as<void>(), there.bytes()));
  VT_CHECK(device.finish());
  for (kernels::u64 q = 0; q < kQuestions; ++q) {
    auto found = kernels::float_of(static_cast<kernels::u32>(first[q])),
         right = kernels::float_of(static_cast<kernels::u32>(kernels::special_answer(q)));
    if (std::abs(found - right) <= kernels::kSpecialBound) continue;
    if (seen.wrong++ == 0)
      seen.first = "special, question " + std::to_string(q) + ": " + std::to_string(found) + " is not near " + std::to_string(right);
  }
  return {};
}

Result<std::vector<kernels::u64>> answers(gpu::Device& device, Seen& seen) {
  std::vector<kernels::u64> out(kUnits * kQuestions);
  for (auto unit : {Unit::integer, Unit::fp32, Unit::fp64, Unit::tensor})
    for (kernels::u64 q = 0; q < kQuestions; ++q) out[place_of(unit, q)] = kernels::answer(unit, q);
  VT_CHECK(ask_special(device, out, seen));
  return out;
}

/// Asks until the time is over, at least once.
Status ask(const Task& task, gpu::Device& device, Reporter& report, const gpu::Buffer& expected, std::uint64_t count, Seen& seen) {
  using Clock = std::chrono::steady_clock;
  VT_TRY(auto tallies, device.allocate(kRoom * sizeof(UnitTally)));
  VT_CHECK(device.set(tallies.as<void>(), 0, tallies.bytes()));
  auto blocks = count * static_cast<std::uint64_t>(std::clamp(task.number("blocks", 16), 1.0, 1024.0));
  gpu::Grid grid{blocks * kQuestions, static_cast<unsigned>(blocks), kQuestions};
  auto until = Clock::now() + std::chrono::duration<double>(task.number("seconds", 0.3));
  VT_TRY(auto wrong, count_wrong(device, [&](kernels::Miscompares* reports) -> Status {
           do {
             report.progress("questions to every unit", 0.2);
             VT_CHECK(device.launch(VT_NAMED(vt_question_units), grid, {}, expected.as<kernels::u64>(), grid.items, count,
                                    tallies.as<UnitTally>(), kRoom, reports));
             VT_CHECK(device.finish());
             ++seen.rounds;
           } while (Clock::now() < until);
           return {};
         }));
  if (wrong.count && seen.first.empty()) seen.first = place(wrong.first[0]);
  seen.wrong += wrong.count;
  VT_CHECK(device.copy(seen.tallies.data(), tallies.as<void>(), tallies.bytes()));
  return device.finish();
}

void list(std::string& texts, const std::string& text) { texts += (texts.empty() ? "" : ", ") + text; }

/// "17 (fp64 3, tensor 1), 18 (fp64 1)"
std::string told_wrong(const std::vector<UnitTally>& tallies) {
  std::string out;
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    std::string units;
    for (std::size_t unit = 0; unit < kUnits; ++unit)
      if (auto n = tallies[i].wrong[unit]) list(units, kNames[unit] + (" " + std::to_string(n)));
    if (!units.empty()) list(out, std::to_string(i) + " (" + units + ")");
  }
  return out.empty() ? "none" : out;
}

json told(const Seen& seen, std::size_t count) {
  std::string never;
  std::size_t reached = 0;
  for (std::size_t i = 0; i < kRoom; ++i) {
    if (seen.tallies[i].asked) ++reached;
    else if (i < count) list(never, std::to_string(i));
  }
  bool all = reached >= count;  // with gaps in the numbers a missing number is no missing multiprocessor
  return {{"wrong", seen.wrong},        {"first_wrong", seen.first},           {"wrong_on", told_wrong(seen.tallies)},
          {"multiprocessors", reached}, {"missed", all ? 0 : count - reached}, {"never", all ? "none" : never},
          {"rounds", seen.rounds}};
}

Result<json> cover(const Task& task, gpu::Device& device, Reporter& report) {
  Seen seen;
  auto count = device.info().is_cpu() ? std::size_t{1} : static_cast<std::size_t>(std::max(1, device.info().multiprocessors));
  VT_TRY(auto right, answers(device, seen));
  VT_TRY(auto expected, device.allocate(right.size() * sizeof(kernels::u64)));
  VT_CHECK(device.copy(expected.as<void>(), right.data(), expected.bytes()));
  if (task.flag("fault")) VT_CHECK(device.launch(VT_NAMED(vt_flip_bit), {1}, {}, expected.as<kernels::u64>(), place_of(Unit::fp32, 7), 5));
  VT_CHECK(ask(task, device, report, expected, count, seen));
  auto out = told(seen, count);
  out["rung"] = device.rung();
  return out;
}

}  // namespace

/// Questions with known answers (kernels/coverage.hpp) to the integer, fp32, fp64, special-function and tensor units of every
/// multiprocessor for args.seconds, args.blocks blocks for each at a time. Wrong answers are counted by multiprocessor; those that no block
/// was put on are told. The processor is one multiprocessor. args.fault turns over a bit of one expected answer.
Outcome sm_coverage(const Task& task, gpu::Device& device, Reporter& report) { return outcome(device, cover(task, device, report)); }

}  // namespace vt::checks
