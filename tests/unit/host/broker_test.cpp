#include "orchestrator/host/broker.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace vt {
namespace {

using namespace std::chrono_literals;

TEST(Broker, GivesEachRankWhatTheOthersPublishedOnce) {
  Broker broker;
  broker.publish("g", {0, "id", "aaa"});
  broker.publish("g", {1, "id", "bbb"});
  broker.publish("other", {2, "id", "ccc"});
  std::size_t seen = 0;
  auto messages = broker.others("g", 1, seen);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].data, "aaa");
  EXPECT_TRUE(broker.others("g", 1, seen).empty());
  broker.publish("g", {2, "late", "ddd"});
  EXPECT_EQ(broker.others("g", 1, seen).at(0).data, "ddd");
  std::size_t joined_late = 0;
  EXPECT_EQ(broker.others("g", 3, joined_late).size(), 3U);
}

TEST(Broker, AwaitWakesUpOrEndsAtTheDeadline) {
  Broker broker;
  EXPECT_FALSE(broker.await("g", "id", Deadline::after(10ms)));
  std::thread publisher([&] { broker.publish("g", {0, "id", "x"}); });
  EXPECT_EQ(broker.await("g", "id", Deadline::after(5s)), "x");
  publisher.join();
  broker.forget("g");
  EXPECT_FALSE(broker.await("g", "id", Deadline::after(0ms)));
}

}  // namespace
}  // namespace vt
