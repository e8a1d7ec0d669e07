#include "orchestrator/cost/billing.hpp"

#include <gtest/gtest.h>

namespace vt {
namespace {

constexpr EpochMs kStart = 1'700'000'000'000;

Resource ready(const std::string& provider, Money hourly) {
  Resource r;
  r.provider = provider, r.hourly = hourly, r.created = kStart, r.state = ResourceState::ready;
  return r;
}

TEST(Billing, CountsEverySecondBegun) {
  auto pod = ready("runpod", Money{3'600'000});  // a tenth of a cent per second
  EXPECT_EQ(cost_until(pod, kStart).micro, 0);
  EXPECT_EQ(cost_until(pod, kStart + 1).micro, 1'000);
  EXPECT_EQ(cost_until(pod, kStart + 1'000).micro, 1'000);
  EXPECT_EQ(cost_until(pod, kStart + 1'001).micro, 2'000);
  EXPECT_EQ(cost_until(pod, kStart - 5'000).micro, 0) << "a clock that went back earns nothing";
}

TEST(Billing, ComputeEngineBillsItsFirstMinuteWhole) {
  auto machine = ready("gcp", Money{3'600'000});
  EXPECT_EQ(cost_until(machine, kStart + 1'000).micro, 60'000);
  EXPECT_EQ(cost_until(machine, kStart + 60'000).micro, 60'000);
  EXPECT_EQ(cost_until(machine, kStart + 61'000).micro, 61'000);
}

TEST(Billing, RunsUntilTheConfirmedEndAndNoLonger) {
  auto pod = ready("runpod", Money{3'600'000});
  pod.state = ResourceState::gone, pod.closed = kStart + 120'000;
  EXPECT_EQ(cost_until(pod, kStart + 999'000).micro, 120'000);
  pod.state = ResourceState::deleting, pod.closed = 0;  // seen again: it never ended
  EXPECT_EQ(cost_until(pod, kStart + 999'000).micro, 999'000);
}

TEST(Billing, IsNothingForWhatNeverRanAndEverythingForWhatMayRun) {
  auto pod = ready("gcp", Money{3'600'000});
  using enum ResourceState;
  for (auto state : {planned, refused, presumed_absent}) {
    pod.state = state;
    EXPECT_EQ(cost_until(pod, kStart + 3'600'000).micro, 0) << name(state);
  }
  for (auto state : {creating, ambiguous, created, ready, deleting}) {
    pod.state = state;
    EXPECT_EQ(cost_until(pod, kStart + 3'600'000).micro, 3'600'000) << name(state);
  }
}

TEST(Billing, ReservesTheLeaseAndTheSlackAfterIt) {
  EXPECT_EQ(reservation(Money{3'600'000}, std::chrono::minutes(1)).micro, 150'000);
  EXPECT_EQ(reservation(Money{3'600'000}, Duration{60'001}).micro, 151'000);
  EXPECT_EQ(reservation(Money{0}, std::chrono::hours(6)).micro, 0);
}

TEST(Billing, TheAffordableLeaseIsTheLongestThatFits) {
  for (std::int64_t hourly : {1L, 7L, 690'000L, 4'499'930L, 88'490'000L, 1'000'000'000L})
    for (std::int64_t room : {0L, 1L, 9'999L, 450'000L, 9'000'000L, 100'000'000'000L}) {
      auto lease = affordable(Money{hourly}, Money{room});
      auto text = std::to_string(hourly) + " per hour, room for " + std::to_string(room);
      if (lease > Duration{0}) { EXPECT_LE(reservation(Money{hourly}, lease).micro, room) << text; }
      if (lease < std::chrono::hours(24 * 365)) {
        auto longer = std::max<Duration>(std::chrono::minutes(1), lease + std::chrono::seconds(1));
        EXPECT_GT(reservation(Money{hourly}, longer).micro, room) << text;
      }
    }
  EXPECT_EQ(affordable(Money{0}, Money{0}), std::chrono::hours(24 * 365)) << "what is free is affordable";
  EXPECT_EQ(affordable(Money{1'000'000}, Money{-5}), Duration{0}) << "a cap that is passed leaves nothing";
}

}  // namespace
}  // namespace vt
