#include "orchestrator/cost/billing.hpp"
#include "orchestrator/engine/next_step.hpp"
#include "orchestrator/engine/reap.hpp"
#include "tests/unit/engine/lifecycle_fixture.hpp"

using namespace vt;

TEST_F(Lifecycle, ReadyThenGone) {
  auto allocation = get();
  ASSERT_TRUE(allocation) << allocation.error().what;
  EXPECT_EQ(only_row().state, ResourceState::ready);
  EXPECT_EQ(allocation->hosts.front().name, "pod");
  ASSERT_TRUE(give_back());
  EXPECT_EQ(only_row().state, ResourceState::gone);
  EXPECT_TRUE(cloud_.alive.empty());
}

TEST_F(Lifecycle, ALostReplyIsAdoptedNotRepeated) {
  cloud_.lose_reply = true;
  ASSERT_TRUE(get());
  EXPECT_EQ(cloud_.creates, 1);
  EXPECT_EQ(only_row().provider_id, "id-" + only_row().owner.name);
}

TEST_F(Lifecycle, ALostRequestEndsTheSlotAndStaysVisible) {
  cloud_.lose_request = true;
  cloud_.late = std::chrono::hours(24);
  EXPECT_FALSE(get());
  EXPECT_EQ(cloud_.creates, 1);
  EXPECT_EQ(only_row().state, ResourceState::ambiguous);
  EXPECT_FALSE(give_back()) << "it may still appear";
  clock_.wall_ms += Duration(std::chrono::hours(25)).count();
  EXPECT_FALSE(give_back()) << "a clock that jumps does not make it old: three looks are needed";
  EXPECT_TRUE(give_back());
  EXPECT_EQ(only_row().state, ResourceState::presumed_absent);
}

TEST_F(Lifecycle, AThingBehindARefusedRowIsDeleted) {
  cloud_.refuse = true;
  ASSERT_FALSE(get());
  Resource late = only_row();
  late.provider_id = "id-late";
  cloud_.alive[late.owner.name] = late;
  EXPECT_EQ(reap(*context_, {})->released, 1);
  EXPECT_TRUE(cloud_.alive.empty());
}

TEST_F(Lifecycle, AStrangersCopyOfTheNameIsNotAdopted) {
  cloud_.lose_request = true;
  cloud_.late = std::chrono::hours(24);
  ASSERT_FALSE(get());
  Resource copy = only_row();
  copy.provider_id = "a-strangers", copy.owner.token = "bbbbbbbbbbbbbbbbbbbbbbbbbb";
  cloud_.alive[copy.owner.name] = copy;
  EXPECT_FALSE(give_back());
  EXPECT_EQ(cloud_.destroys, 0);
  EXPECT_EQ(cloud_.alive.size(), 1U);
}

TEST_F(Lifecycle, RowsOfACopiedLedgerAreLeftAlone) {
  ASSERT_TRUE(get());
  SQLite::Database db(folder_ + "/ledger.db", SQLite::OPEN_READWRITE);
  db.exec("UPDATE resource SET holder = '1:1:gone', install = 'elsewher'");
  EXPECT_EQ(reap(*context_, {})->released, 0);
  EXPECT_EQ(cloud_.destroys, 0);
}

TEST_F(Lifecycle, CostEndsWithTheLeaseOfWhatEndedItself) {
  ASSERT_TRUE(get());
  auto lease = only_row().lease_until - only_row().created;
  cloud_.alive.clear();
  clock_.wall_ms += Duration(std::chrono::hours(48)).count();
  ASSERT_TRUE(give_back());
  EXPECT_LE(only_row().cost, reservation(Money{1'000'000}, Duration{lease}));
}

TEST_F(Lifecycle, ARefusalLeavesNothingOpen) {
  cloud_.refuse = true;
  auto refused = get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::capacity);
  EXPECT_TRUE(ledger_->open_resources()->empty());
}

TEST_F(Lifecycle, AcceptedIsNotGone) {
  ASSERT_TRUE(get());
  cloud_.destroys_ignored = 1;
  EXPECT_FALSE(give_back());
  EXPECT_EQ(only_row().state, ResourceState::deleting);
  EXPECT_TRUE(give_back());
  EXPECT_EQ(only_row().state, ResourceState::gone);
}

TEST_F(Lifecycle, AfterASecondInterruptNothingIsWaitedForAndTheRowStays) {
  ASSERT_TRUE(get());
  cloud_.destroys_ignored = 1000;
  cloud_.spacing = std::chrono::seconds(10);
  auto began = clock_.wall_ms;
  clock_.on_sleep = [this, began] {
    if (clock_.wall_ms > began + 500 && !stop_.urgent()) stop_.raise(), stop_.raise();
  };
  EXPECT_FALSE(give_back());
  EXPECT_LT(clock_.wall_ms, began + 1000);
  EXPECT_EQ(cloud_.destroys, 1) << "it was asked for";
  EXPECT_EQ(only_row().state, ResourceState::deleting);
}

TEST_F(Lifecycle, CandidatesAreTriedInOrder) {
  cloud_.offers = {"a", "b", "c"};
  cloud_.refusals = {{"a", Finding::Kind::stock_out}, {"b", Finding::Kind::region_quota}};
  ASSERT_TRUE(get());
  auto rows = ledger_->all().value();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].state, ResourceState::refused);
  EXPECT_EQ(rows[1].state, ResourceState::refused);
  EXPECT_EQ(rows[2].zone, "c");
  EXPECT_EQ(rows[2].state, ResourceState::ready);
  EXPECT_NE(told_.find("stock-out"), std::string::npos) << told_;
}

TEST_F(Lifecycle, TheProvidersHintGoesFirst) {
  cloud_.offers = {"a", "b", "c"};
  cloud_.refusals = {{"a", Finding::Kind::stock_out}};
  cloud_.hint = "c";
  ASSERT_TRUE(get());
  EXPECT_EQ(ledger_->all()->back().zone, "c");
  EXPECT_EQ(cloud_.creates, 2);
}

TEST_F(Lifecycle, WhatHoldsEverywhereStops) {
  for (auto kind : {Finding::Kind::auth, Finding::Kind::quota, Finding::Kind::policy, Finding::Kind::funds}) {
    cloud_ = {};
    cloud_.offers = {"a", "b"};
    cloud_.refusals = {{"a", kind}};
    EXPECT_FALSE(get());
    EXPECT_EQ(cloud_.creates, 1) << rule_for(kind).name;
  }
}

TEST_F(Lifecycle, TurnedAwayUnreadIsAskedAgainLater) {
  cloud_.rate_limited = 2;
  ASSERT_TRUE(get());
  EXPECT_EQ(cloud_.creates, 3);
  EXPECT_EQ(only_row().state, ResourceState::ready) << "one attempt, one row";
  EXPECT_EQ(clock_.wall_ms, 1'700'000'000'000 + 2 * 7000);
}

TEST_F(Lifecycle, AHostOfNoUseIsGivenBackBeforeTheNext) {
  cloud_.offers = {"a"};
  cloud_.unready = 1;
  ASSERT_TRUE(get());
  auto rows = ledger_->all().value();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].state, ResourceState::gone);
  EXPECT_EQ(rows[1].state, ResourceState::ready);
  EXPECT_EQ(cloud_.alive.size(), 1U);
}

TEST_F(Lifecycle, AHostThatCannotBeGivenBackEndsTheSearch) {
  cloud_.offers = {"a", "b"};
  cloud_.unready = 1;
  cloud_.destroys_ignored = 1000;
  EXPECT_FALSE(get());
  EXPECT_EQ(cloud_.creates, 1);
  EXPECT_EQ(only_row().state, ResourceState::deleting);
}

TEST_F(Lifecycle, NoPriceNoHost) {
  cloud_.offers = {"a"};
  cloud_.price_known = false;
  EXPECT_FALSE(get());
  EXPECT_EQ(cloud_.creates, 0);
  EXPECT_TRUE(ledger_->all()->empty());
}

TEST_F(Lifecycle, SeveralHostsAreARowEach) {
  layer_.options["count"] = {"5"};
  auto allocation = get();
  ASSERT_TRUE(allocation) << allocation.error().what;
  ASSERT_EQ(allocation->hosts.size(), 5U);
  EXPECT_EQ(allocation->hosts[4].name, "pod-5");
  EXPECT_EQ(allocation->hosts[4].rank, 4);
  EXPECT_EQ(ledger_->open_resources()->size(), 5U);
  EXPECT_EQ(cloud_.creates, 5);
}

TEST_F(Lifecycle, TheLeaseIsNoLongerThanTheCapPaysFor) {
  ASSERT_TRUE(get(Money{500'000}));  // at $1 an hour
  EXPECT_LE(only_row().reserved, Money{500'000});
  EXPECT_LT(only_row().lease_until - only_row().created, Duration(std::chrono::minutes(30)).count());
  EXPECT_GT(only_row().lease_until - only_row().created, Duration(std::chrono::minutes(25)).count());
}

TEST_F(Lifecycle, AnIncompleteListingProvesNothing) {
  ASSERT_TRUE(get());
  cloud_.list_incomplete = true;
  EXPECT_FALSE(give_back());
  EXPECT_EQ(only_row().state, ResourceState::deleting);
}

TEST_F(Lifecycle, TheCapIsAskedBeforeAnythingIsCreated) {
  auto refused = get(Money{1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::budget);
  EXPECT_EQ(cloud_.creates, 0);
  EXPECT_TRUE(ledger_->all()->empty());
}

TEST_F(Lifecycle, ReapLeavesTheLivingAndTheKeptAlone) {
  ASSERT_TRUE(get());
  auto report = reap(*context_, {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->left, 1);
  EXPECT_EQ(cloud_.destroys, 0);
  (void)ledger_->update(only_row().owner.name, "test", [](Resource& r) { r.keep = true; });
  orphan();
  EXPECT_EQ(reap(*context_, {})->left, 1);
  EXPECT_EQ(cloud_.destroys, 0);
  clock_.wall_ms += Duration(std::chrono::hours(48)).count();
  EXPECT_EQ(reap(*context_, {})->released, 1);
  EXPECT_TRUE(cloud_.alive.empty());
}

TEST_F(Lifecycle, ReapFinishesWhatADeadProcessLeft) {
  ASSERT_TRUE(get());
  orphan();
  auto dry = reap(*context_, {.dry_run = true, .most = 20});
  EXPECT_EQ(dry->left, 1);
  EXPECT_EQ(cloud_.destroys, 0);
  EXPECT_EQ(reap(*context_, {})->released, 1);
  EXPECT_EQ(only_row().state, ResourceState::gone);
}

TEST_F(Lifecycle, ReapDeletesAThingThatReappears) {
  ASSERT_TRUE(get());
  auto seen = cloud_.alive.begin()->second;
  ASSERT_TRUE(give_back());
  cloud_.alive[seen.owner.name] = seen;
  EXPECT_EQ(reap(*context_, {})->released, 1);
  EXPECT_TRUE(cloud_.alive.empty());
}

TEST_F(Lifecycle, ReapTouchesNothingItCannotProveToBeOurs) {
  auto ours = ledger_->new_ownership("fake", "", Duration{1000}).value();
  Resource forged;
  forged.provider = "fake";
  forged.owner = ours;
  forged.owner.name += "x";
  forged.owner.expires = 1;
  cloud_.alive[forged.owner.name] = forged;
  Resource young;
  young.provider = "fake";
  young.owner = ours;
  cloud_.alive[young.owner.name] = young;
  EXPECT_EQ(reap(*context_, {})->left, 2);
  EXPECT_EQ(cloud_.alive.size(), 2U);
  clock_.wall_ms += 10'000;
  EXPECT_EQ(reap(*context_, {})->left, 2) << "a lease that is just over is left some room";
  clock_.wall_ms += kGrace.count();
  auto report = reap(*context_, {});
  EXPECT_EQ(report->released, 1);
  EXPECT_EQ(cloud_.alive.size(), 1U) << "the forged one stays";
}

TEST_F(Lifecycle, ReapDeletesOnlySoManyAtOnce) {
  layer_.options["count"] = {"3"};
  ASSERT_TRUE(get());
  orphan();
  auto first = reap(*context_, {.dry_run = false, .most = 2});
  EXPECT_EQ(first->released, 2);
  EXPECT_EQ(first->left, 1);
  EXPECT_EQ(reap(*context_, {.dry_run = false, .most = 2})->released, 1);
  EXPECT_TRUE(cloud_.alive.empty());
}

TEST_F(Lifecycle, ASweeperWithOnlyTheKeyEndsWhatIsExpired) {
  ASSERT_TRUE(get());
  Resource stranger = cloud_.alive.begin()->second;
  stranger.owner.token = "aaaaaaaaaaaaaaaaaaaaaaaaaa", stranger.owner.name += "x";
  cloud_.alive[stranger.owner.name] = stranger;
  FakeProvider provider(cloud_);
  EXPECT_EQ(reap_stateless(ledger_->key(), {&provider}, clock_, stop_, {}).released, 0) << "its lease is not over";
  clock_.wall_ms += Duration(std::chrono::hours(48)).count();
  auto report = reap_stateless(ledger_->key(), {&provider}, clock_, stop_, {});
  EXPECT_EQ(report.released, 1);
  EXPECT_EQ(report.left, 1) << "the stranger";
  EXPECT_EQ(cloud_.alive.count(stranger.owner.name), 1U);
}

TEST_F(Lifecycle, TheKeyTravelsInAFile) {
  auto path = folder_ + "/key";
  ASSERT_TRUE(write_install_key(path, ledger_->key()));
  EXPECT_FALSE(write_install_key(path, ledger_->key())) << "never over another file";
  auto key = read_install_key(path);
  ASSERT_TRUE(key) << key.error().what;
  EXPECT_EQ(key->install, ledger_->key().install);
  auto owner = ledger_->new_ownership("gcp", "project", Duration{60'000}).value();
  EXPECT_TRUE(key->is_ours(owner, "gcp", "project"));
  EXPECT_FALSE(key->is_ours(owner, "gcp", "another"));
  std::filesystem::permissions(path, std::filesystem::perms::group_read, std::filesystem::perm_options::add);
  EXPECT_FALSE(read_install_key(path));
}
