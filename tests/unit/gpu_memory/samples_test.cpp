#include "remote-agent/checks/samples.hpp"

#include <gtest/gtest.h>

using vt::checks::spread;

TEST(Samples, MedianIsTheMiddleOneOrTheMeanOfTwo) {
  EXPECT_DOUBLE_EQ(spread({3, 1, 100}).median, 3);
  EXPECT_DOUBLE_EQ(spread({4, 1, 2, 100}).median, 3);
  EXPECT_DOUBLE_EQ(spread({}).median, 0);
}

TEST(Samples, SpreadIsTheDeviationOverTheMean) {
  EXPECT_DOUBLE_EQ(spread({5, 5, 5}).cv, 0);
  EXPECT_DOUBLE_EQ(spread({8, 12}).cv, 0.2);
}
