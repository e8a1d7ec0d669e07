#include <csignal>
#include <random>
#include <thread>

#include "fixture.hpp"
#include "sqlite_raw.hpp"

using namespace vt;
using namespace vt::test;

namespace {

constexpr int kKills = 50;

/// Writes results, events and ledger rows until it is killed; says a number once everything up to it is acknowledged.
int write_forever(const std::string& state, int round, int say) {
  SystemClock clock;
  auto store = must(Store::open(state, clock));
  auto ledger = must(Ledger::open(state, clock));
  for (int i = 0;; ++i) {
    auto k = key("r1", "h" + std::to_string(round), "c" + std::to_string(i));
    auto o = observation(k);
    must(store->add_result(&o, judgement(k, Verdict::pass)));
    must(store->add_event("r1", "rack", event::Noted{"info", "x"}));
    auto r = resource(*ledger, "round" + std::to_string(round));
    must(ledger->plan(r));
    if (write(say, &i, sizeof i) != sizeof i) return 1;
  }
}

/// Kills a writing child at a random moment, once it has said `at_least` numbers; how many it said.
int killed_after(const std::string& state, int round, int at_least, std::chrono::microseconds moment) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  auto child = in_child([&] { return close(ends[0]), write_forever(state, round, ends[1]); });
  close(ends[1]);
  int count = 0, said = 0;
  auto next = [&] { return read(ends[0], &said, sizeof said) == sizeof said; };
  while (count < at_least && next()) ++count;
  std::this_thread::sleep_for(moment);
  kill(child, SIGKILL);
  EXPECT_EQ(exit_status(child), 128 + SIGKILL);
  while (next()) ++count;
  close(ends[0]);
  return count;
}

class FailpointTest : public testing::Test {
 protected:
  void SetUp() override {
#ifndef VT_FAILPOINTS
    GTEST_SKIP() << "built without failpoints";
#endif
  }
  /// The exit status of a new process that runs the child below with `failpoint` armed.
  [[nodiscard]] int run_armed(const std::string& failpoint) const {
    auto child = in_child([&] {
      setenv("VAULT_TEST_FAILPOINT", failpoint.c_str(), 1);
      setenv("VT_STORE_TEST_STATE", dir_.state().c_str(), 1);
      execl("/proc/self/exe", "store_test", "--gtest_filter=OneOfEach.IsWritten", "--gtest_brief=1", nullptr);
      return 98;
    });
    return exit_status(child);
  }
  [[nodiscard]] std::string results(const std::string& query) const { return sql(dir_.state() + "/results.db", query); }
  [[nodiscard]] std::string ledger(const std::string& query) const { return sql(dir_.state() + "/ledger.db", query); }
  void expect_sound() const {
    EXPECT_EQ(results("PRAGMA integrity_check"), "ok");
    SystemClock clock;
    must(Store::open(dir_.state(), clock));
    must(Ledger::open(dir_.state(), clock));
  }
  TempDir dir_;
};

}  // namespace

TEST(Crash, NothingAcknowledgedIsLostAndNothingIsBroken) {
  TempDir dir;
  auto results = dir.state() + "/results.db", ledger = dir.state() + "/ledger.db";
  {
    SystemClock clock;
    add_run(*must(Store::open(dir.state(), clock)), "r1");
    must(Ledger::open(dir.state(), clock));
  }
  std::mt19937 random(20261120);
  int acknowledged = 0;
  for (int round = 0; round < kKills; ++round) {
    int said = killed_after(dir.state(), round, static_cast<int>(random() % 3), std::chrono::microseconds(random() % 20'000));
    acknowledged += said;
    auto host = "'h" + std::to_string(round) + "'";
    EXPECT_GE(std::stoi(sql(results, "SELECT count(*) FROM judgement WHERE observation IS NOT NULL AND host = " + host)), said);
    EXPECT_GE(std::stoi(sql(ledger, "SELECT count(*) FROM resource WHERE run = 'round" + std::to_string(round) + "'")), said);
    ASSERT_EQ(sql(results, "PRAGMA integrity_check"), "ok");
    ASSERT_EQ(sql(ledger, "PRAGMA integrity_check"), "ok");
  }
  EXPECT_GT(acknowledged, 0);
  EXPECT_EQ(sql(results, "SELECT count(*) = max(sequence) FROM event"), "1");  // without gaps
  EXPECT_EQ(sql(results, "SELECT count(*) FROM observation o WHERE NOT EXISTS (SELECT 1 FROM judgement j WHERE j.observation = o.id)"),
            "0");
  EXPECT_EQ(sql(ledger, "SELECT count(*) FROM event e WHERE seq > 1 AND prev_hash <> (SELECT hash FROM event p WHERE p.seq = e.seq - 1)"),
            "0");
}

/// Also what FailpointTest runs in a new process, in a folder it names and with a failpoint armed.
TEST(OneOfEach, IsWritten) {
  std::optional<TempDir> own;  // a killed process removes none
  auto named = getenv("VT_STORE_TEST_STATE");
  auto state = named ? std::string(named) : own.emplace().state();
  SystemClock clock;
  auto store = must(Store::open(state, clock));                                                                          // store commit 1
  must(store->add_run(run_row("r1"), {layer_row("rack")}, {}));                                                          // store commit 2
  must(store->add_result(nullptr, judgement(key("r1", "h0", "c"), Verdict::pass)));                                      // store commit 3
  must(store->add_artefact({.run = "r1", .layer = "", .host = "", .check = "", .name = "log", .sha256 = ""}, "bytes"));  // store commit 4
  auto ledger = must(Ledger::open(state, clock));  // ledger commits 1 and 2
  must(ledger->plan(resource(*ledger)));           // ledger commit 3
}

TEST_F(FailpointTest, AResultIsThereFromItsCommitOn) {
  EXPECT_EQ(run_armed("store.before_commit=kill@3"), 128 + SIGKILL);
  expect_sound();
  EXPECT_EQ(results("SELECT (SELECT count(*) FROM run) || ' ' || (SELECT count(*) FROM judgement)"), "1 0");
}

TEST_F(FailpointTest, AResultStaysAfterItsCommit) {
  EXPECT_EQ(run_armed("store.after_commit=kill@3"), 128 + SIGKILL);
  expect_sound();
  EXPECT_EQ(results("SELECT count(*) FROM judgement"), "1");
}

TEST_F(FailpointTest, AHalfMadeFileIsBegunAgain) {
  EXPECT_EQ(run_armed("store.before_commit=kill@1"), 128 + SIGKILL);
  expect_sound();
  EXPECT_EQ(results("SELECT count(*) FROM run"), "0");
}

TEST_F(FailpointTest, AnArtefactIsNeverNamedBeforeItIsThere) {
  EXPECT_EQ(run_armed("artefact.write=kill"), 128 + SIGKILL);
  expect_sound();
  EXPECT_EQ(results("SELECT count(*) FROM artefact"), "0");
}

TEST_F(FailpointTest, AnIntentIsThereFromItsCommitOn) {
  EXPECT_EQ(run_armed("ledger.before_commit=kill@3"), 128 + SIGKILL);
  expect_sound();
  EXPECT_EQ(ledger("SELECT (SELECT count(*) FROM resource) || (SELECT count(*) FROM event)"), "00");
}

TEST_F(FailpointTest, AnIntentStaysAfterItsCommit) {
  EXPECT_EQ(run_armed("ledger.after_commit=kill@3"), 128 + SIGKILL);
  expect_sound();
  EXPECT_EQ(ledger("SELECT (SELECT count(*) FROM resource) || (SELECT count(*) FROM event)"), "11");
}

TEST_F(FailpointTest, TheKeyAndTheInstallationAppearTogetherOrNotAtAll) {
  for (auto point : {"key.write=kill", "ledger.before_commit=kill@2"}) {
    EXPECT_EQ(run_armed(point), 128 + SIGKILL) << point;
    std::filesystem::remove_all(dir_.state() + "/results.db");
    SystemClock clock;
    auto ledger = must(Ledger::open(dir_.state(), clock));
    EXPECT_TRUE(ledger->is_ours(must(ledger->new_ownership("p", "a", Duration{1})), "p", "a"));
    ledger.reset();
    std::filesystem::remove_all(dir_.state());
  }
}
