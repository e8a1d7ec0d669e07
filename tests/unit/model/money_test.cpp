#include "orchestrator/model/money.hpp"

#include <gtest/gtest.h>

using vt::Money;

TEST(Money, ParsesExactly) {
  EXPECT_EQ(Money::parse("0.45")->micro, 450'000);
  EXPECT_EQ(Money::parse("$9")->micro, 9'000'000);
  EXPECT_EQ(Money::parse("0.000001")->micro, 1);
  for (auto bad : {"", "-1", "1.", ".5", "1.0000001", "NaN", "1e3", "9999999999999999999"}) EXPECT_FALSE(Money::parse(bad)) << bad;
}

TEST(Money, ShowsNoLessThanItIs) {
  EXPECT_EQ(Money{1}.text(), "$0.01");
  EXPECT_EQ(Money{0}.text(), "$0.00");
  EXPECT_EQ((Money{8'250'000}).text(), "$8.25");
}

TEST(Money, PricesSecondsRoundedUp) {
  EXPECT_EQ(price_for(Money{3'600'000'000}, 1).micro, 1'000'000);
  EXPECT_EQ(price_for(Money{1}, 1).micro, 1);
  EXPECT_EQ(price_for(Money{100'000'000}, 10'000'000).micro, 277'777'777'778);
}
