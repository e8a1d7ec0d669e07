#include <gtest/gtest.h>

#include "orchestrator/plan/load.hpp"
#include "orchestrator/planner/tune.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;

/// What the checks of these suites usually take at a level, one after the other, by their own `typical`.
Duration usually(const std::vector<std::string>& suites, Level level) {
  static const auto shipped = load_catalogue(std::string(VT_SOURCE_DIR) + "/plans");
  Duration sum{};
  for (auto& suite : suites) {
    auto found = shipped.catalogue.suite(suite);
    EXPECT_TRUE(found) << suite;
    if (!found) continue;
    for (auto& id : found->checks)
      if (auto check = shipped.catalogue.check(id); check->level <= level) sum += tuned(*check, {}, level).typical;
  }
  return sum;
}

/// docs/gpu-checks.md promises these times.
TEST(TypicalTimes, FitTheBudgetOfTheirLevel) {
  auto quick = usually({"gpu-compute"}, Level::quick);
  EXPECT_GT(quick, 10s);
  EXPECT_LE(quick, 55s);
  EXPECT_LE(usually({"gpu-compute", "multi-gpu", "storage", "host"}, Level::standard), 10min);
  EXPECT_LE(usually({"gpu-compute", "multi-gpu", "storage", "host", "endurance"}, Level::full), 70min);
}

}  // namespace
}  // namespace vt
