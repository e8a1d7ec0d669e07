#include "orchestrator/engine/lifecycle.hpp"
#include "orchestrator/engine/reap.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "fake_provider.hpp"

using namespace vt;

namespace {

class Lifecycle : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/vt-lifecycle-XXXXXX";
    folder_ = mkdtemp(pattern);
    store_ = Store::open(folder_, clock_).value().release();
    ledger_ = Ledger::open(folder_, clock_).value().release();
    auto make = [this](const std::string& name) -> std::unique_ptr<Provider> {
      return name == "fake" ? std::make_unique<FakeProvider>(cloud_) : nullptr;
    };
    context_ = std::make_unique<Context>(Context{*store_, *ledger_, clock_, stop_, {}, make, {"fake"}, {}});
    layer_.name = "pod";
    layer_.provider = "fake";
  }
  void TearDown() override {
    delete ledger_;
    delete store_;
    std::filesystem::remove_all(folder_);
  }

  Result<Allocation> get(Money cap = {}) {
    FakeProvider provider(cloud_);
    return acquire(*context_, provider, layer_, "run1", cap, Deadline::after(Duration{1000}));
  }
  Resource only_row() {
    auto rows = ledger_->all().value();
    EXPECT_EQ(rows.size(), 1U);
    return rows.empty() ? Resource{} : rows.front();
  }
  Status give_back() {
    FakeProvider provider(cloud_);
    return release(*context_, provider, only_row().owner.name);
  }
  /// As if the process that holds the row had died. The ledger itself lets nobody say so.
  void orphan() {
    SQLite::Database db(folder_ + "/ledger.db", SQLite::OPEN_READWRITE);
    db.exec("UPDATE resource SET holder = '1:1:gone'");
  }

  std::string folder_;
  ManualClock clock_;
  StopFlag stop_;
  FakeCloud cloud_;
  Store* store_ = nullptr;
  Ledger* ledger_ = nullptr;
  std::unique_ptr<Context> context_;
  Layer layer_;
};

}  // namespace

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
  EXPECT_TRUE(give_back());
  EXPECT_EQ(only_row().state, ResourceState::presumed_absent);
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

TEST_F(Lifecycle, AnIncompleteListingProvesNothing) {
  ASSERT_TRUE(get());
  cloud_.list_incomplete = true;
  EXPECT_FALSE(give_back());
  EXPECT_EQ(only_row().state, ResourceState::deleting);
}

TEST_F(Lifecycle, TheCapIsAskedBeforeAnythingIsCreated) {
  auto refused = get(Money{1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(cloud_.creates, 0);
  EXPECT_TRUE(ledger_->all()->empty());
}

TEST_F(Lifecycle, ReapLeavesTheLivingAndTheKeptAlone) {
  ASSERT_TRUE(get());
  auto report = reap(*context_, false);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->left, 1);
  EXPECT_EQ(cloud_.destroys, 0);
  (void)ledger_->update(only_row().owner.name, "test", [](Resource& r) { r.keep = true; });
  orphan();
  EXPECT_EQ(reap(*context_, false)->left, 1);
  EXPECT_EQ(cloud_.destroys, 0);
  clock_.wall_ms += Duration(std::chrono::hours(48)).count();
  EXPECT_EQ(reap(*context_, false)->released, 1);
  EXPECT_TRUE(cloud_.alive.empty());
}

TEST_F(Lifecycle, ReapFinishesWhatADeadProcessLeft) {
  ASSERT_TRUE(get());
  orphan();
  auto dry = reap(*context_, true);
  EXPECT_EQ(dry->left, 1);
  EXPECT_EQ(cloud_.destroys, 0);
  EXPECT_EQ(reap(*context_, false)->released, 1);
  EXPECT_EQ(only_row().state, ResourceState::gone);
}

TEST_F(Lifecycle, ReapDeletesAThingThatReappears) {
  ASSERT_TRUE(get());
  auto seen = cloud_.alive.begin()->second;
  ASSERT_TRUE(give_back());
  cloud_.alive[seen.owner.name] = seen;
  EXPECT_EQ(reap(*context_, false)->released, 1);
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
  EXPECT_EQ(reap(*context_, false)->left, 2);
  EXPECT_EQ(cloud_.alive.size(), 2U);
  clock_.wall_ms += 10'000;
  auto report = reap(*context_, false);
  EXPECT_EQ(report->released, 1);
  EXPECT_EQ(cloud_.alive.size(), 1U) << "the forged one stays";
}
