#include <fstream>
#include <regex>
#include <set>

#include "fixture.hpp"
#include "sqlite_raw.hpp"

using namespace vt;
using namespace vt::test;

namespace {

class LedgerIdentityTest : public testing::Test {
 protected:
  Ownership mine() { return must(ledger_->new_ownership("gcp", "project", Duration{60'000})); }
  TempDir dir_;
  ManualClock clock_;
  std::unique_ptr<Ledger> ledger_ = must(Ledger::open(dir_.state(), clock_));
};

}  // namespace

TEST_F(LedgerIdentityTest, HasTheShapeProvidersAccept) {
  clock_.wall_ms = 1'700'000'000'999;
  auto owner = mine();
  EXPECT_TRUE(std::regex_match(owner.install, std::regex("[a-z2-7]{8}"))) << owner.install;
  EXPECT_TRUE(std::regex_match(owner.attempt, std::regex("[a-z2-7]{16}"))) << owner.attempt;
  EXPECT_TRUE(std::regex_match(owner.token, std::regex("[a-z2-7]{26}"))) << owner.token;
  EXPECT_EQ(owner.name, "vt-" + owner.install + "-" + owner.attempt);
  EXPECT_EQ(owner.expires, 1'700'000'060'000);
  std::set<std::string> names;
  for (int i = 0; i < 1000; ++i) names.insert(mine().name);
  EXPECT_EQ(names.size(), 1000U);
}

TEST_F(LedgerIdentityTest, OnlyWhatThisInstallationMadeIsOurs) {
  auto owner = mine();
  EXPECT_TRUE(ledger_->is_ours(owner, "gcp", "project"));
  EXPECT_FALSE(ledger_->is_ours(owner, "gcp", "other"));
  EXPECT_FALSE(ledger_->is_ours(owner, "runpod", "project"));
  auto spoilt = [&](auto change) {
    auto copy = owner;
    change(copy);
    return ledger_->is_ours(copy, "gcp", "project");
  };
  EXPECT_FALSE(spoilt([](auto& o) { o.token[0] = o.token[0] == 'a' ? 'b' : 'a'; }));
  EXPECT_FALSE(spoilt([](auto& o) { o.token.clear(); }));
  EXPECT_FALSE(spoilt([](auto& o) { o.token += "a"; }));
  EXPECT_FALSE(spoilt([](auto& o) { o.expires -= 1000; }));
  EXPECT_FALSE(spoilt([](auto& o) { o.install = "aaaaaaaa"; }));
  EXPECT_FALSE(spoilt([](auto& o) { o.attempt = "aaaaaaaaaaaaaaaa"; }));
  EXPECT_FALSE(spoilt([](auto& o) { o.name += "x"; }));
  EXPECT_FALSE(spoilt([](auto& o) { o = {}; }));
}

TEST_F(LedgerIdentityTest, StaysTheSameOnEveryStart) {
  auto owner = mine();
  ledger_.reset();
  auto again = must(Ledger::open(dir_.state(), clock_));
  EXPECT_TRUE(again->is_ours(owner, "gcp", "project"));
  EXPECT_EQ(must(again->new_ownership("gcp", "", Duration{1})).install, owner.install);
}

TEST_F(LedgerIdentityTest, AnotherInstallationIsAStranger) {
  auto owner = mine();
  auto other = must(Ledger::open(dir_.path() + "/other", clock_));
  EXPECT_FALSE(other->is_ours(owner, "gcp", "project"));
  auto disguised = owner;
  disguised.install = must(other->new_ownership("gcp", "", Duration{1})).install;
  EXPECT_FALSE(other->is_ours(disguised, "gcp", "project"));
}

TEST_F(LedgerIdentityTest, ACopiedFolderGetsAnIdentityOfItsOwn) {
  auto r = resource(*ledger_);
  must(ledger_->plan(r));
  auto copy_dir = dir_.path() + "/copy";
  std::filesystem::copy(dir_.state(), copy_dir, std::filesystem::copy_options::recursive);
  ASSERT_EQ(chmod(copy_dir.c_str(), 0700), 0);
  auto copy = must(Ledger::open(copy_dir, clock_));
  auto fresh = must(copy->new_ownership("runpod", "acct", Duration{1}));
  EXPECT_NE(fresh.install, r.owner.install);
  EXPECT_FALSE(copy->is_ours(r.owner, "runpod", "acct"));
  EXPECT_EQ(must(copy->open_resources()).at(0).owner.install, r.owner.install);  // visible, as a stranger's
  EXPECT_TRUE(ledger_->is_ours(r.owner, "runpod", "acct"));
  EXPECT_FALSE(ledger_->is_ours(fresh, "runpod", "acct"));
  copy.reset();
  EXPECT_EQ(must(must(Ledger::open(copy_dir, clock_))->new_ownership("runpod", "", Duration{1})).install, fresh.install);
}

TEST_F(LedgerIdentityTest, AnotherMachineGetsAnIdentityOfItsOwn) {
  auto owner = mine();
  ledger_.reset();
  change(dir_.state() + "/ledger.db", "UPDATE install SET bound_to = 'another machine'");
  EXPECT_FALSE(must(Ledger::open(dir_.state(), clock_))->is_ours(owner, "gcp", "project"));
}

TEST_F(LedgerIdentityTest, AWrongOrMissingKeyIsSaidAloud) {
  ledger_.reset();
  auto key = dir_.state() + "/ledger.key";
  EXPECT_EQ(std::filesystem::file_size(key), 32U);
  std::filesystem::rename(key, key + ".away");
  EXPECT_EQ(code_of(Ledger::open(dir_.state(), clock_)), Errc::refused);
  std::ofstream(key) << std::string(32, 'k');
  auto refused = Ledger::open(dir_.state(), clock_);
  EXPECT_EQ(code_of(refused), Errc::refused);
  EXPECT_NE(refused.error().what.find("ledger.key"), std::string::npos);
  std::filesystem::rename(key + ".away", key);
  must(Ledger::open(dir_.state(), clock_));
}
