#include <gtest/gtest.h>

#include "remote-agent/checks/host_memory.hpp"
#include "tests/unit/host_checks/reporter.hpp"

using namespace vt;
using test::run;

TEST(HostMemory, IsReadBackUnderEveryPattern) {
  auto seen = run(checks::verify_memory, {{"mib", 4}}).values;
  EXPECT_EQ(seen["wrong"], 0);
  EXPECT_EQ(seen["mib"], 4);
  EXPECT_EQ(seen["errors"], nlohmann::json::array());
}

TEST(HostMemory, AFlippedBitIsFoundWithItsAddress) {
  auto seen = run(checks::verify_memory, {{"mib", 4}, {"fault", true}}).values;
  EXPECT_EQ(seen["wrong"], 1);
  ASSERT_EQ(seen["errors"].size(), 1U);
  auto error = seen["errors"][0].get<std::string>();
  EXPECT_TRUE(error.starts_with("addresses at ")) << error;
  EXPECT_NE(error.find("expected 0x"), std::string::npos) << error;
}

TEST(HostMemory, PatternsThatWereNotReachedInTimeAreNoResult) {
  auto seen = run(checks::verify_memory, {{"mib", 1}}, -10);
  EXPECT_EQ(seen.error, "not all patterns were done in time: it needs more of it, or a smaller share of the memory");
  EXPECT_TRUE(seen.values.empty());
}

TEST(HostMemory, AShareOfWhatIsFreeIsTaken) {
  EXPECT_GT(checks::free_memory(), 1U << 20);
  auto seen = run(checks::verify_memory, {{"share", 1e-9}}).values;
  EXPECT_EQ(seen["mib"], 1);
}

TEST(HostMemory, MoreThanThereIsIsAnError) { EXPECT_FALSE(run(checks::verify_memory, {{"mib", 1e9}}).error.empty()); }

TEST(HostBandwidth, IsCountedAsStreamDoesAndVerified) {
  auto seen = run(checks::host_bandwidth, {{"mib", 1}, {"rounds", 3}}).values;
  EXPECT_EQ(seen["wrong"], 0);
  EXPECT_EQ(seen["array_mib"], 1);
  for (auto* loop : {"copy", "scale", "add", "triad"}) EXPECT_GT(seen[loop], 0.0) << loop;
  EXPECT_GE(seen["node_triad"].size(), 1U);
}

TEST(HostBandwidth, AFlippedBitIsFound) {
  EXPECT_EQ(run(checks::host_bandwidth, {{"mib", 1}, {"rounds", 2}, {"fault", true}}).values["wrong"], 1);
}

TEST(HostBandwidth, TooLittleMemoryIsAnErrorThatSaysHowMuch) {
  auto seen = run(checks::host_bandwidth, {{"mib", 1e8}});
  EXPECT_TRUE(seen.error.starts_with("needs 300000000 MiB of free memory")) << seen.error;
}
