#include "orchestrator/model/clock.hpp"

#include <gtest/gtest.h>

using namespace vt;
using namespace std::chrono_literals;

TEST(Clock, ShortTexts) {
  EXPECT_EQ(short_text(4s), "4s");
  EXPECT_EQ(short_text(65s), "1m05s");
  EXPECT_EQ(short_text(2h + 10min), "2h10m");
  EXPECT_EQ(short_text(47h), "47h00m");
  EXPECT_EQ(short_text(24h * 7), "7d");
  EXPECT_EQ(short_text(76h), "3d4h");
}

TEST(Clock, UtcText) { EXPECT_EQ(utc_text(1'763'634'600'000), "2025-11-20T10:30:00Z"); }

TEST(Clock, DeadlinesDoNotGoBelowZero) {
  auto passed = Deadline::after(-1s);
  EXPECT_TRUE(passed.passed());
  EXPECT_EQ(passed.left(), Duration::zero());
  EXPECT_LE(Deadline::after(1h).earlier(1s).left(), 1s);
}
