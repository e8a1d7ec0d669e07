#include <thread>

#include "fixture.hpp"
#include "orchestrator/store/codec.hpp"

#include <nlohmann/json.hpp>

using namespace vt;
using namespace vt::test;

namespace {

class EventTest : public testing::Test {
 protected:
  void SetUp() override { add_run(*store_, "r1"), add_run(*store_, "r2"); }
  TempDir dir_;
  ManualClock clock_;
  std::unique_ptr<Store> store_ = must(Store::open(dir_.state(), clock_));
};

}  // namespace

TEST_F(EventTest, AreNumberedPerRunAndComeBack) {
  must(store_->add_event("r1", "", event::RunStarted{"p", "s"}));
  must(store_->add_event("r2", "", event::RunStarted{"p", "s"}));
  clock_.wall_ms += 5;
  must(store_->add_event("r1", "rack", event::LayerMoved{LayerState::probe, "bytes \xff"}));
  auto events = must(store_->events("r1", 0));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].sequence, 1);
  EXPECT_EQ(events[1].sequence, 2);
  EXPECT_EQ(events[1].layer, "rack");
  EXPECT_EQ(events[1].at, clock_.wall());
  EXPECT_EQ(std::get<event::LayerMoved>(events[1].body).state, LayerState::probe);
  EXPECT_EQ(must(store_->events("r1", 1)).size(), 1U);
  EXPECT_EQ(must(store_->events("r2", 0)).at(0).sequence, 1);
  EXPECT_FALSE(store_->add_event("nowhere", "", event::RunResumed{}));
}

TEST_F(EventTest, ListenersSeeThemStoredAndInOrder) {
  std::vector<std::int64_t> heard;
  store_->listen([&](const Event& event) {
    heard.push_back(event.sequence);
    EXPECT_EQ(must(store_->events("r1", event.sequence - 1)).size(), 1U);  // committed, and the store can be asked
  });
  constexpr int kThreads = 4, kEach = 10;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < kEach; ++n) EXPECT_TRUE(store_->add_event("r1", "rack", event::Noted{"info", "x"}));
    });
  for (auto& thread : threads) thread.join();
  ASSERT_EQ(heard.size(), static_cast<std::size_t>(kThreads * kEach));
  for (std::size_t i = 0; i < heard.size(); ++i) EXPECT_EQ(heard[i], static_cast<std::int64_t>(i + 1));
}

TEST_F(EventTest, AFailedEventIsNotHeard) {
  int heard = 0;
  store_->listen([&](const Event&) { ++heard; });
  EXPECT_FALSE(store_->add_event("nowhere", "", event::RunResumed{}));
  EXPECT_EQ(heard, 0);
}
