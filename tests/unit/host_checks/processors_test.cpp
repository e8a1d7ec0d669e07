#include <gtest/gtest.h>

#include <algorithm>

#include "remote-agent/checks/host_processors.hpp"
#include "tests/unit/host_checks/reporter.hpp"

using namespace vt;
using test::run;

TEST(Processors, ListsAreReadAsTheKernelWritesThem) {
  EXPECT_EQ(checks::numbers_in("0-3,8,10-11\n"), (std::vector{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(checks::numbers_in("0"), std::vector{0});
  EXPECT_TRUE(checks::numbers_in("").empty());
  EXPECT_TRUE(checks::numbers_in("\n").empty());
  EXPECT_TRUE(checks::numbers_in("x").empty());
  EXPECT_EQ(checks::numbers_in("5-3,7"), std::vector{7});
}

TEST(Processors, OfAllNodesTogetherAreThoseAllowed) {
  auto allowed = checks::allowed_processors();
  std::vector<int> together;
  for (auto& node : checks::allowed_by_node()) together.insert(together.end(), node.begin(), node.end());
  std::sort(together.begin(), together.end());
  EXPECT_EQ(together, allowed);
}

TEST(CpuVerify, EveryUnitOfEveryProcessorIsRight) {
  auto seen = run(checks::verify_cpu, {{"seconds", 0.01}}).values;
  EXPECT_EQ(seen["wrong"], 0);
  EXPECT_EQ(seen["processors"], checks::allowed_processors().size());
  EXPECT_GE(seen["units"].size(), 3U);  // integer, float and at least one width of vectors
}

TEST(CpuVerify, AFlippedBitIsFoundWhereItIs) {
  auto seen = run(checks::verify_cpu, {{"seconds", 0.01}, {"fault", true}}).values;
  EXPECT_GE(seen["wrong"], 1);
  EXPECT_EQ(seen["bad"], nlohmann::json::array({checks::allowed_processors().front()}));
}
