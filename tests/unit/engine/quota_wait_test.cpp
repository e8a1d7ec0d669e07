// A quota that machines of ours fill: the next is only created once an earlier one is confirmed gone.
#include "orchestrator/engine/quota_wait.hpp"

#include "tests/unit/engine/lifecycle_fixture.hpp"

namespace vt {
namespace {

class Quota : public Lifecycle {
 protected:
  void SetUp() override {
    Lifecycle::SetUp();
    cloud_.limit = 1;
  }
  /// Another layer of the run has the only machine that the quota allows.
  std::string other_layer_has_one() {
    layer_.name = "other";
    EXPECT_TRUE(get());
    layer_.name = "pod";
    return only_row().owner.name;
  }
  Status give_back(const std::string& name) {
    FakeProvider provider(cloud_);
    return release(*context_, provider, name);
  }
  [[nodiscard]] ResourceState state_of(const std::string& name) const { return ledger_->find(name).value()->state; }
};

TEST_F(Quota, OurEarlierMachineIsConfirmedGoneBeforeTheNextIsAskedFor) {
  auto earlier = other_layer_has_one();
  cloud_.destroys_ignored = 1;  // accepted, but it is there for some time
  int tries = 0;
  clock_.on_sleep = [&] {
    EXPECT_EQ(cloud_.creates, 2) << "asked for again while the earlier one is there";
    if (clock_.wall_ms % 2000 == 0 && tries < 2) { EXPECT_EQ(give_back(earlier).has_value(), ++tries == 2); }
  };
  auto hosts = get();
  ASSERT_TRUE(hosts) << hosts.error().what;
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(state_of(earlier), ResourceState::gone);
  EXPECT_EQ(cloud_.creates, 3);
  EXPECT_EQ(cloud_.alive.size(), 1U);
  EXPECT_NE(told_.find("the quota is full: waiting until " + earlier + " (run run1, layer other) is confirmed gone"), std::string::npos)
      << told_;
}

TEST_F(Quota, TheLimitOfARegionIsWaitedForWhenNoCandidateIsLeft) {
  auto earlier = other_layer_has_one();
  cloud_.over_limit = Finding::Kind::region_quota;
  cloud_.offers = {"a", "b"};
  clock_.on_sleep = [&] {
    EXPECT_EQ(cloud_.creates, 3) << "both zones are tried first";
    if (state_of(earlier) == ResourceState::ready) { EXPECT_TRUE(give_back(earlier)); }
  };
  ASSERT_TRUE(get());
  EXPECT_EQ(cloud_.creates, 4);
}

TEST_F(Quota, AFallbackFollowsOnceTheFirstTryIsConfirmedGone) {
  cloud_.offers = {"spot", "on-demand"};
  cloud_.unready = 1;
  ASSERT_TRUE(get());
  EXPECT_EQ(cloud_.creates, 2) << "never refused by the limit of one";
  EXPECT_EQ(cloud_.alive.begin()->second.zone, "on-demand");
}

TEST_F(Quota, ItIsNotWaitedForWhatNobodyGivesBack) {
  auto earlier = other_layer_has_one();
  ASSERT_TRUE(ledger_->update(earlier, "kept", [](Resource& row) { row.keep = true; }));
  auto began = clock_.wall_ms;
  auto kept = get();
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, Errc::quota);
  ASSERT_TRUE(ledger_->update(earlier, "not kept", [](Resource& row) { row.keep = false; }));
  orphan();
  EXPECT_FALSE(get());
  EXPECT_EQ(clock_.wall_ms, began);
  EXPECT_EQ(cloud_.creates, 3);
}

TEST_F(Quota, ALayerThatHasAHostWaitsForNoOther) {
  layer_.options["count"] = {"2"};
  auto began = clock_.wall_ms;
  EXPECT_FALSE(get()) << "two layers with one of two hosts each would wait for each other";
  EXPECT_EQ(clock_.wall_ms, began);
}

TEST_F(Quota, AWaitEndsTenMinutesAfterTheLease) {
  time_ = std::chrono::minutes(1);
  auto lease_until = ledger_->find(other_layer_has_one()).value()->lease_until;
  EXPECT_FALSE(get());
  EXPECT_GT(clock_.wall_ms, lease_until);
  EXPECT_LT(clock_.wall_ms, lease_until + Duration(std::chrono::minutes(11)).count());
  EXPECT_LE(cloud_.creates, 6) << "asked for again a few times, because counts lag behind";
}

TEST_F(Quota, AnInterruptEndsTheWait) {
  other_layer_has_one();
  clock_.on_sleep = [this] { stop_.raise(); };
  auto interrupted = get();
  ASSERT_FALSE(interrupted);
  EXPECT_EQ(interrupted.error().code, Errc::cancelled);
}

Finding stop(Finding::Kind kind, bool passes) { return {kind, Finding::Weight::stops, "what", "remedy", passes}; }

TEST(QuotaFindings, PassByWaitingIfNothingElseStops) {
  using Kind = Finding::Kind;
  auto warning = stop(Kind::auth, false);
  warning.weight = Finding::Weight::warns;
  EXPECT_TRUE(passes_by_waiting({warning, stop(Kind::quota, true)}));
  EXPECT_TRUE(passes_by_waiting({stop(Kind::region_quota, false), stop(Kind::region_quota, true)})) << "one region is enough";
  EXPECT_FALSE(passes_by_waiting({stop(Kind::quota, false), stop(Kind::region_quota, true)})) << "the project's limit is too low";
  EXPECT_FALSE(passes_by_waiting({stop(Kind::auth, false), stop(Kind::quota, true)}));
  EXPECT_FALSE(passes_by_waiting({warning}));
  EXPECT_FALSE(passes_by_waiting({}));
}

}  // namespace
}  // namespace vt
