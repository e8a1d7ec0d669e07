#include <atomic>
#include <thread>
#include <vector>

#include "fixture.hpp"
#include "sqlite_raw.hpp"

using namespace vt;
using namespace vt::test;

namespace {

class CapsTest : public testing::Test {
 protected:
  Status plan(Money reserved, const Caps& caps, const std::string& run = "r1", const std::string& layer = "rack") {
    auto r = resource(*ledger_, run);
    r.layer = layer, r.reserved = reserved, r.hourly = Money{1'000'000};
    last_ = r.owner.name;
    return ledger_->plan(r, caps);
  }
  void move(const std::string& name, std::initializer_list<ResourceState> states) {
    for (auto state : states) must(ledger_->update(name, "on", [&](Resource& r) { r.state = state; }));
  }
  std::string refusal(const Status& status) {
    if (status) return "fits";
    EXPECT_EQ(status.error().code, Errc::budget);
    return status.error().what;
  }

  TempDir dir_;
  ManualClock clock_;  // 2023-11-14T22:13:20Z
  std::unique_ptr<Ledger> ledger_ = must(Ledger::open(dir_.state(), clock_));
  std::string last_;
};

constexpr Money kDollar{1'000'000};

Caps run_cap(Money m) {
  Caps caps;
  caps.run = m;
  return caps;
}

}  // namespace

TEST_F(CapsTest, TheLastCentFitsAndNothingBeyondIt) {
  must(plan(Money{600'000}, run_cap(kDollar)));
  EXPECT_EQ(refusal(plan(Money{400'001}, run_cap(kDollar))),
            "the cap of this run is $1.00: $0.60 is spent or reserved, $0.41 more was asked for");
  EXPECT_FALSE(must(ledger_->find(last_))) << "a refused intent leaves no row";
  must(plan(Money{400'000}, run_cap(kDollar)));
  EXPECT_EQ(refusal(plan(Money{1}, run_cap(kDollar))),
            "the cap of this run is $1.00: $1.00 is spent or reserved, $0.01 more was asked for");
  must(plan(Money{0}, run_cap(kDollar)));
}

TEST_F(CapsTest, EachCapCountsItsOwn) {
  must(plan(Money{600'000}, {}, "r1", "rack"));
  must(plan(Money{600'000}, run_cap(kDollar), "r2"));
  Caps layer;
  layer.layer = kDollar;
  must(plan(Money{600'000}, layer, "r1", "pod"));
  EXPECT_NE(refusal(plan(Money{600'000}, layer, "r1", "pod")).find("the cap of this layer is $1.00: $0.60"), std::string::npos);
  Caps rate;
  rate.rate = Money{4'000'000};
  must(plan(Money{0}, rate, "r3"));
  EXPECT_EQ(refusal(plan(Money{0}, rate, "r3")),
            "the cap on what runs at once is $4.00/h: $4.00/h is spent or reserved, $1.00/h more was asked for");
  move(last_ = must(ledger_->all()).front().owner.name, {ResourceState::refused});
  must(plan(Money{0}, rate, "r3"));
}

TEST_F(CapsTest, DaysAndMonthsAreUtc) {
  Caps day, month;
  day.day = month.month = kDollar;
  auto end = [&](Money cost) {
    move(last_, {ResourceState::creating, ResourceState::created, ResourceState::deleting});
    must(ledger_->update(last_, "gone", [&](Resource& r) { r.state = ResourceState::gone, r.cost = cost; }));
  };
  must(plan(kDollar, day));
  end(kDollar);
  clock_.wall_ms = 1'700'006'399'999;  // 2023-11-14T23:59:59.999Z
  EXPECT_NE(refusal(plan(Money{1}, day)).find("the cap per day (UTC)"), std::string::npos);
  clock_.wall_ms += 1;
  must(plan(Money{500'000}, day));
  end(Money{500'000});
  EXPECT_NE(refusal(plan(Money{1}, month)).find("the cap per month (UTC)"), std::string::npos);
  clock_.wall_ms = 1'701'388'800'000;  // 2023-12-01T00:00:00Z
  must(plan(Money{500'000}, month));
  clock_.wall_ms += 86'400'000;
  EXPECT_NE(refusal(plan(Money{600'000}, day)).find("the cap per day (UTC)"), std::string::npos) << "what runs over midnight counts again";
}

TEST_F(CapsTest, ARowIsWorthItsReservationUntilItIsClosedOrRunsPastIt) {
  using enum ResourceState;
  must(plan(Money{900'000}, {}));  // at $1 per hour
  auto name = last_;
  auto used = [&] { return 10 * kDollar.micro - must(ledger_->room(run_cap(Money{10'000'000}), "r1", "rack"))->micro; };
  move(name, {creating, ambiguous});
  EXPECT_EQ(used(), 900'000) << "nobody knows whether it runs: its money stays reserved";
  clock_.wall_ms += 3'600'000;
  EXPECT_EQ(used(), 1'000'000) << "it may have run past its reservation";
  move(name, {created, deleting});
  must(ledger_->update(name, "gone", [](Resource& r) { r.state = gone, r.cost = Money{250'000}; }));
  EXPECT_EQ(used(), 250'000);
  must(plan(Money{900'000}, {}));
  move(last_, {refused});
  EXPECT_EQ(used(), 250'000) << "what was refused costs nothing";
}

TEST_F(CapsTest, RoomIsWhatTheTightestCapLeaves) {
  EXPECT_FALSE(must(ledger_->room({}, "r1", "rack")));
  must(plan(Money{600'000}, {}));
  Caps caps;
  caps.run = Money{5'000'000}, caps.layer = kDollar, caps.day = Money{9'000'000};
  EXPECT_EQ(must(ledger_->room(caps, "r1", "rack"))->micro, 400'000);
  EXPECT_EQ(must(ledger_->room(caps, "r1", "pod"))->micro, 1'000'000);
  caps.layer = Money{1};
  EXPECT_EQ(must(ledger_->room(caps, "r1", "rack"))->micro, 0) << "never less than nothing";
}

TEST_F(CapsTest, APriceBelowZeroMakesNoRoom) {
  EXPECT_EQ(code_of(plan(Money{-1}, {})), Errc::refused);
  EXPECT_TRUE(must(ledger_->all()).empty());
}

namespace {

constexpr int kTries = 200, kCap = 20;

/// How many of `kTries` intents of 7 cents fitted.
int plan_many(Ledger& ledger, const Caps& caps) {
  int fitted = 0;
  for (int i = 0; i < kTries; ++i) {
    auto r = resource(ledger);
    r.reserved = Money{70'000};
    auto done = ledger.plan(r, caps);
    if (done) ++fitted;
    else if (done.error().code != Errc::budget) throw std::runtime_error(done.error().what);
  }
  return fitted;
}

}  // namespace

// P8: the reservations never add up to more than the cap, however many ask at once.
TEST_F(CapsTest, EightThreadsOfTwoProcessesNeverPassTheCapTogether) {
  auto caps = run_cap(Money{kCap * 70'000 + 69'999});
  caps.day = Money{100'000'000};
  auto work = [&] {
    SystemClock clock;
    auto ledger = must(Ledger::open(dir_.state(), clock));
    std::vector<std::thread> threads;
    std::atomic<int> fitted = 0;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { fitted += plan_many(*ledger, caps); });
    for (auto& thread : threads) thread.join();
    return fitted.load();
  };
  auto other = in_child(work);
  auto here = work();
  EXPECT_EQ(exit_status(other) + here, kCap);
  EXPECT_EQ(sql(dir_.state() + "/ledger.db", "SELECT count(*) || ' ' || sum(reserved) FROM resource"),
            std::to_string(kCap) + " " + std::to_string(kCap * 70'000));
}
