#include "orchestrator/store/ledger.hpp"
#include "orchestrator/model/sha256.hpp"

#include "fixture.hpp"
#include "sqlite_raw.hpp"

using namespace vt;
using namespace vt::test;

namespace {

class LedgerTest : public testing::Test {
 protected:
  std::string planned() {
    auto r = resource(*ledger_);
    must(ledger_->plan(r));
    return r.owner.name;
  }
  Resource row(const std::string& name) { return must(ledger_->find(name)).value(); }

  TempDir dir_;
  ManualClock clock_;
  std::unique_ptr<Ledger> ledger_ = must(Ledger::open(dir_.state(), clock_));
  std::string file_ = dir_.state() + "/ledger.db";
};

}  // namespace

TEST_F(LedgerTest, RowsComeBack) {
  auto r = resource(*ledger_);
  r.zone = "eu-1", r.body = R"({"name":"x"})", r.state = ResourceState::ready;
  must(ledger_->plan(r));
  must(ledger_->update(r.owner.name, "asked", [](Resource& x) { x.state = ResourceState::creating; }));
  must(ledger_->update(r.owner.name, "there", [](Resource& x) {
    x.state = ResourceState::created, x.provider_id = "p-1", x.access = "{}", x.cost = Money{5}, x.looks_absent = 2, x.keep = true,
    x.reason = "why";
    x.lease_until = 99;
  }));
  auto back = row(r.owner.name);
  EXPECT_EQ(back.owner.install + back.owner.attempt + back.owner.token, r.owner.install + r.owner.attempt + r.owner.token);
  EXPECT_EQ(back.owner.expires, r.owner.expires);
  EXPECT_EQ(back.provider + back.account + back.zone + back.kind + back.run + back.layer, "runpodaccteu-1podr1rack");
  EXPECT_EQ(back.provider_id + back.body + back.access + back.reason, R"(p-1{"name":"x"}{}why)");
  EXPECT_EQ(back.state, ResourceState::created);
  EXPECT_EQ(back.holder, this_holder());
  EXPECT_EQ(back.created, clock_.wall());
  EXPECT_EQ(back.hourly.micro + back.reserved.micro + back.cost.micro, 690'000 + 1'380'000 + 5);
  EXPECT_EQ(back.looks_absent, 2);
  EXPECT_EQ(back.lease_until, 99);
  EXPECT_TRUE(back.keep);
  EXPECT_FALSE(must(ledger_->find("vt-nobody")));
}

TEST_F(LedgerTest, PlanStartsAtThePlannedStateAndNamesAreUsedOnce) {
  auto r = resource(*ledger_);
  r.state = ResourceState::ready;
  must(ledger_->plan(r));
  EXPECT_EQ(row(r.owner.name).state, ResourceState::planned);
  EXPECT_EQ(code_of(ledger_->plan(r)), Errc::refused);
}

TEST_F(LedgerTest, ListsWhatIsOpenOldestFirst) {
  auto first = planned(), second = planned(), third = planned();
  must(ledger_->update(second, "never", [](Resource& x) { x.state = ResourceState::refused; }));
  auto other = resource(*ledger_, "r2");
  must(ledger_->plan(other));
  auto open = must(ledger_->open_resources());
  ASSERT_EQ(open.size(), 3U);
  EXPECT_EQ(open[0].owner.name, first);
  EXPECT_EQ(open[1].owner.name, third);
  EXPECT_EQ(must(ledger_->all()).size(), 4U);
  EXPECT_EQ(must(ledger_->of_run("r2")).at(0).owner.name, other.owner.name);
}

TEST_F(LedgerTest, ClosingIsStampedAndUndone) {
  auto name = planned();
  must(ledger_->update(name, "never", [](Resource& x) { x.state = ResourceState::refused; }));
  EXPECT_EQ(row(name).closed, clock_.wall());
  auto seen = planned();
  for (auto state : {ResourceState::creating, ResourceState::ambiguous, ResourceState::presumed_absent})
    must(ledger_->update(seen, "on", [&](Resource& x) { x.state = state; }));
  EXPECT_NE(row(seen).closed, 0);
  must(ledger_->update(seen, "seen again", [](Resource& x) { x.state = ResourceState::deleting; }));
  EXPECT_EQ(row(seen).closed, 0);
}

TEST_F(LedgerTest, AChangeCannotForgeOwnerOrHolder) {
  auto name = planned();
  must(
      ledger_->update(name, "x", [](Resource& x) { x.owner.token = "forged", x.owner.name = "y", x.holder = "1:1:1", x.generation = 40; }));
  auto back = row(name);
  EXPECT_NE(back.owner.token, "forged");
  EXPECT_EQ(back.holder, this_holder());
  EXPECT_EQ(back.generation, 0);
  EXPECT_EQ(code_of(ledger_->update("vt-nobody", "x", [](Resource&) {})), Errc::not_found);
  EXPECT_EQ(code_of(ledger_->take_over("vt-nobody")), Errc::not_found);
}

TEST_F(LedgerTest, EveryChangeHasAnEventChainedToTheOneBefore) {
  auto name = planned();
  clock_.wall_ms += 10;
  must(ledger_->update(name, "create is called", [](Resource& x) { x.state = ResourceState::creating; }));
  auto part = [](const std::string& s) { return std::to_string(s.size()) + ":" + s; };
  auto link = [&](const std::string& before, const std::string& seq, const std::string& at, const std::string& state,
                  const std::string& why) {
    return sha256_hex(part(before) + part(seq) + part(name) + part(at) + part(state) + part(why));
  };
  auto first = link("", "1", std::to_string(clock_.wall() - 10), "planned", "planned");
  auto second = link(first, "2", std::to_string(clock_.wall()), "creating", "create is called");
  EXPECT_EQ(sql(file_, "SELECT hash FROM event WHERE seq = 1"), first);
  EXPECT_EQ(sql(file_, "SELECT prev_hash FROM event WHERE seq = 2"), first);
  EXPECT_EQ(sql(file_, "SELECT hash FROM event WHERE seq = 2"), second);
  EXPECT_EQ(sql(file_, "SELECT count(*) FROM event"), "2");
}

TEST_F(LedgerTest, NothingIsEverDeletedOrRewritten) {
  planned();
  for (auto script : {"DELETE FROM resource", "DELETE FROM event", "UPDATE event SET why = 'x'", "UPDATE resource SET state = 'lost'"})
    EXPECT_THROW(change(file_, script), SQLite::Exception) << script;
}

TEST_F(LedgerTest, FilesArePrivate) {
  for (auto file : {"ledger.db", "ledger.key", "ledger.ballast"}) EXPECT_EQ(mode_of(dir_.state() + "/" + file), 0600U) << file;
  EXPECT_EQ(std::filesystem::file_size(dir_.state() + "/ledger.ballast"), 1U << 20);
  struct stat info {};
  ASSERT_EQ(stat((dir_.state() + "/ledger.ballast").c_str(), &info), 0);
  EXPECT_GE(info.st_blocks * 512, 1 << 20);  // really set aside, not a hole
}

TEST_F(LedgerTest, AnotherObjectThatTookOverFencesTheFirst) {
  auto name = planned();
  auto other = must(Ledger::open(dir_.state(), clock_));
  must(other->update(name, "same process, not taken over", [](Resource& x) { x.reason = "a"; }));
  must(ledger_->update(name, "still ours", [](Resource& x) { x.reason = "b"; }));
  must(other->take_over(name));
  EXPECT_EQ(row(name).generation, 1);
  EXPECT_EQ(code_of(ledger_->update(name, "late", [](Resource& x) { x.reason = "c"; })), Errc::refused);
  must(other->update(name, "new holder", [](Resource& x) { x.reason = "d"; }));
  EXPECT_EQ(row(name).reason, "d");
  must(ledger_->take_over(name));
  must(ledger_->update(name, "back again", [](Resource& x) { x.reason = "e"; }));
}

TEST_F(LedgerTest, ATakeOverBySomeoneWhoDiedSinceStillFences) {
  auto name = planned();
  change(file_, "UPDATE resource SET generation = 1, holder = '1:0:gone'");
  EXPECT_EQ(code_of(ledger_->update(name, "late", [](Resource& x) { x.reason = "c"; })), Errc::refused);
}

TEST(Holder, KnowsTheLivingFromTheDead) {
  auto self = this_holder();
  EXPECT_TRUE(is_alive(self));
  auto first = self.find(':'), second = self.find(':', first + 1);
  auto pid = self.substr(0, first), start = self.substr(first + 1, second - first - 1), boot = self.substr(second + 1);
  EXPECT_EQ(pid, std::to_string(getpid()));
  EXPECT_EQ(boot.size(), 36U);
  EXPECT_FALSE(is_alive(pid + ":" + start + "1:" + boot));               // the pid was given to another process
  EXPECT_FALSE(is_alive(pid + ":" + start + ":0000" + boot.substr(4)));  // before a reboot
  for (auto bad : {"", ":", "x", "../self:1:2", "4294967296:1:1"}) EXPECT_FALSE(is_alive(bad)) << bad;
  auto child = in_child([] { return pause(), 0; });
  kill(child, SIGKILL);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);  // a zombie now
  EXPECT_FALSE(is_alive(std::to_string(child) + ":" + start + ":" + boot));
  exit_status(child);
}
