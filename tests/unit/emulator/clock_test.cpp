#include "providers/emulator/clock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

namespace vt::emulator {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(EmulatedClock, RunsFasterAtASmallPace) {
  Clock clock(0.001);
  EXPECT_EQ(clock.real(hours(1)), milliseconds(3600));
  std::this_thread::sleep_for(milliseconds(10));
  EXPECT_GE(clock.now(), milliseconds(10'000));
  EXPECT_LT(clock.now(), hours(24));
}

TEST(EmulatedClock, CallsInTheOrderOfTheirTimes) {
  Clock clock(0.001);
  std::vector<int> order;
  std::promise<void> done;
  clock.after(milliseconds(30'000), [&] { order.push_back(3), done.set_value(); });
  clock.after(milliseconds(1'000), [&] { order.push_back(1); });
  clock.after(milliseconds(15'000), [&] { order.push_back(2); });
  done.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(EmulatedClock, WhatIsCalledMayAskForMore) {
  Clock clock(0.001);
  std::promise<void> done;
  clock.after(milliseconds(1), [&] { clock.after(milliseconds(1), [&] { done.set_value(); }); });
  EXPECT_EQ(done.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

TEST(EmulatedClock, CallsNothingOnceStopped) {
  Clock clock(1);
  std::atomic<int> calls{0};
  clock.after(milliseconds(20), [&] { ++calls; });
  clock.stop();
  clock.after(milliseconds(0), [&] { ++calls; });
  std::this_thread::sleep_for(milliseconds(40));
  EXPECT_EQ(calls, 0);
}

}  // namespace vt::emulator
