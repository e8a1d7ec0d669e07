#include "orchestrator/engine/group_board.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace vt {
namespace {

using namespace std::chrono_literals;

struct GroupBoardTest : ::testing::Test {
  Result<GroupBoard::Seat> meet(const std::string& host, Duration d = 10s) {
    return board.meet("nccl.multinode", host, stop, Deadline::after(d));
  }
  GroupBoard board{{"a", "b", "c"}};
  StopFlag stop;
};

TEST_F(GroupBoardTest, RanksAreInTheOrderOfTheHostsWhoeverComesFirst) {
  std::array<Result<GroupBoard::Seat>, 3> seats{GroupBoard::Seat{}, GroupBoard::Seat{}, GroupBoard::Seat{}};
  {
    std::jthread c([&] { seats[2] = meet("c"); }), a([&] { seats[0] = meet("a"); }), b([&] { seats[1] = meet("b"); });
  }
  for (int i = 0; i < 3; ++i) {
    auto& seat = seats.at(static_cast<std::size_t>(i));
    ASSERT_TRUE(seat) << seat.error().what;
    EXPECT_EQ(seat->rank, i);
    EXPECT_EQ(seat->world, 3);
  }
}

TEST_F(GroupBoardTest, WhoIsLostOrStaysAwayIsNotWaitedFor) {
  board.leave("a");
  std::jthread late([&] {
    std::this_thread::sleep_for(5ms);
    board.stay_away("nccl.multinode", "c");
  });
  auto seat = meet("b");
  ASSERT_TRUE(seat) << seat.error().what;
  EXPECT_EQ(seat->rank, 0);
  EXPECT_EQ(seat->world, 1);
}

TEST_F(GroupBoardTest, WaitingEndsAtTheDeadlineAndWhenTheRunIsStopped) {
  auto seat = meet("a", 5ms);
  ASSERT_FALSE(seat);
  EXPECT_EQ(seat.error().code, Errc::timeout);
  stop.raise();
  EXPECT_EQ(meet("b").error().code, Errc::cancelled);
}

TEST_F(GroupBoardTest, ChecksDoNotMixAndOneHostIsAGroupOfOne) {
  board.stay_away("other", "b");
  board.stay_away("other", "c");
  EXPECT_EQ(meet("a", 5ms).error().code, Errc::timeout) << "they stay away from the other check only";
  GroupBoard alone{{"a"}};
  EXPECT_EQ(alone.meet("x.y", "a", stop, Deadline::after(1s))->world, 1);
}

}  // namespace
}  // namespace vt
