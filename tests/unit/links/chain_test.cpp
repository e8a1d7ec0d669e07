#include "remote-agent/checks/chain.hpp"

#include <gtest/gtest.h>

#include "tests/support/faulty_device.hpp"

using namespace vt;
using checks::Chain;

TEST(Chain, IsOneRingThroughEveryLine) {
  Chain chain(64 * 128);
  std::set<std::uint64_t> seen;
  for (std::uint64_t s = 0; s < 64; ++s) {
    EXPECT_EQ(chain.after(s) % 16, 0U);
    seen.insert(chain.after(s));
  }
  EXPECT_EQ(seen.size(), 64U);
  EXPECT_EQ(chain.after(64), 0U);
}

TEST(Chase, ComesWhereTheChainLeads) {
  test::FaultyDevice device;
  Chain chain(64 * 128);
  auto chased = checks::chase(device, chain, chain.words().data(), 1000).take();
  EXPECT_TRUE(chased.right);
  EXPECT_GT(chased.seconds_per_step, 0);
}

TEST(Chase, IsWrongWhereTheMemoryIs) {
  test::FaultyDevice device;
  Chain chain(64 * 128);
  auto damaged = chain.words();
  damaged[0] = 0;
  EXPECT_FALSE(checks::chase(device, chain, damaged.data(), 1000).take().right);
}

TEST(PcieLatency, IsMeasuredAndVerified) {
  test::FaultyDevice device;
  test::QuietReporter quiet;
  auto sound = checks::pcie_latency(test::cpu_task({{"steps", 2000}}), device, quiet);
  EXPECT_EQ(sound.error, "");
  EXPECT_EQ(sound.values["wrong"], 0);
  EXPECT_GT(sound.values["value"].get<double>(), 0);
  EXPECT_GE(checks::pcie_latency(test::cpu_task({{"steps", 2000}, {"fault", true}}), device, quiet).values["wrong"].get<int>(), 1);
}
