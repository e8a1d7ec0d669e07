#include <gtest/gtest.h>

#include <thread>

#include "remote-agent/base/hex.hpp"
#include "remote-agent/checks/net_traffic.hpp"
#include "remote-agent/checks/net_wire.hpp"
#include "tests/unit/host_checks/reporter.hpp"

using namespace vt;
using nlohmann::json;

namespace {

/// Every rank in a thread of its own, over the loopback interface.
std::vector<checks::Outcome> run_group(int world, const json& more, std::int64_t deadline_ms = 10'000) {
  test::Board board;
  std::vector<checks::Outcome> out(static_cast<std::size_t>(world));
  std::vector<std::jthread> ranks;
  for (int rank = 0; rank < world; rank++)
    ranks.emplace_back([&, rank] {
      checks::Task task;
      task.args = {{"interface", "lo"}, {"seconds", 0.02}, {"streams", 2}};
      task.args.update(more);
      task.rank = rank, task.world = world, task.group = "g", task.deadline_ms = deadline_ms;
      test::Listening report(board, std::chrono::milliseconds(deadline_ms));
      out[static_cast<std::size_t>(rank)] = checks::net_pair(task, report);
    });
  ranks.clear();
  return out;
}

}  // namespace

TEST(NetPair, TwoHostsMeasureTheWayBetweenThem) {
  auto seen = run_group(2, json::object());
  for (auto& one : seen) {
    ASSERT_EQ(one.error, "");
    EXPECT_EQ(one.values["pair"], json::array({"0-1"}));
    EXPECT_EQ(one.values["wrong"], json::array({0}));
    EXPECT_GT(one.values["gbit_s"][0], 0.0);
    EXPECT_GT(one.values["back_gbit_s"][0], 0.0);
    EXPECT_GT(one.values["round_trip_us"][0], 0.0);
    EXPECT_GT(one.values["mtu"][0], 576);
    EXPECT_EQ(one.values["of_line"], json::array({nullptr}));  // the loopback interface has no speed
  }
  EXPECT_EQ(seen[0].values, seen[1].values);
}

TEST(NetPair, ThreeHostsMakeARing) {
  for (auto& one : run_group(3, json::object())) {
    ASSERT_EQ(one.error, "");
    EXPECT_EQ(one.values["pair"], json::array({"0-1", "1-2", "2-0"}));
  }
}

TEST(NetPair, AFlippedBitIsFoundInBothDirections) { EXPECT_EQ(run_group(2, {{"fault", true}})[0].values["wrong"], json::array({2})); }

TEST(NetPair, AHostWithoutAnAddressIsAnErrorOnAllRanks) {
  for (auto& one : run_group(2, {{"interface", "none0"}}))
    EXPECT_EQ(one.error, "pair 0-1: the other host cannot be reached: it has no address");
}

TEST(NetPair, OneHostAloneIsToldWhatIsMissing) { EXPECT_EQ(run_group(1, json::object())[0].error, "needs a group of at least two hosts"); }

TEST(NetPair, ARankThatNeverComesIsAnErrorInTime) {
  test::Board board;
  test::Listening report(board, std::chrono::milliseconds(20));
  checks::Task task;
  task.args = {{"interface", "lo"}}, task.world = 2, task.rank = 0;
  EXPECT_EQ(checks::net_pair(task, report).error, "pair 0-1: rank 1 does not answer");
  task.rank = 1;
  EXPECT_EQ(checks::net_pair(task, report).error.substr(0, 9), "pair 0-1:");
}

TEST(Hex, IsBytesAgain) {
  for (auto* text : {"", "{\"a\": 1}", "\xff\x01"}) EXPECT_EQ(from_hex(to_hex(text)), text);
  for (auto* no : {"a", "0g", "FF"}) EXPECT_EQ(from_hex(no), "");
}

TEST(NetWire, NobodyListening) {
  auto listener = checks::listen_anywhere();
  ASSERT_TRUE(listener);
  auto port = listener->port;
  listener->fd.reset();
  auto fd = checks::connect_to("127.0.0.1", port, agent::boot_ms() + 1000);
  ASSERT_FALSE(fd);
  EXPECT_EQ(fd.error().what, "127.0.0.1:" + std::to_string(port) + " (Connection refused)");
}
