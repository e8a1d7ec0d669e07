#include "fixture.hpp"

using namespace vt;
using namespace vt::test;

namespace {

class StoreQueryTest : public testing::Test {
 protected:
  void judge(const std::string& run, const std::string& host, const std::string& check, Verdict verdict, int attempt = 1,
             const std::string& measured = "") {
    auto j = judgement(key(run, host, check, attempt), verdict);
    if (!measured.empty()) j.values = {{"other", "1", "", "recorded", ""}, {"value", measured, "", "recorded", ""}};
    must(store_->add_result(nullptr, j));
  }
  TempDir dir_;
  ManualClock clock_;
  std::unique_ptr<Store> store_ = must(Store::open(dir_.state(), clock_));
};

}  // namespace

TEST_F(StoreQueryTest, RunsAreFoundByIdPrefixAndLast) {
  EXPECT_FALSE(must(store_->run("last")));
  add_run(*store_, "20261120-103000-aaaa", 100);
  add_run(*store_, "20261120-103000-aabb", 300);
  add_run(*store_, "20261121-103000-cccc", 200);
  EXPECT_EQ(must(store_->run("last"))->id, "20261120-103000-aabb");
  EXPECT_EQ(must(store_->run("20261121"))->id, "20261121-103000-cccc");
  EXPECT_EQ(must(store_->run("20261120-103000-aaaa"))->id, "20261120-103000-aaaa");
  EXPECT_FALSE(must(store_->run("2027")));
  EXPECT_FALSE(must(store_->run("%")));
  auto ambiguous = store_->run("20261120");
  EXPECT_EQ(code_of(ambiguous), Errc::usage);
  EXPECT_NE(ambiguous.error().what.find("20261120-103000-aaaa"), std::string::npos) << ambiguous.error().what;
  EXPECT_NE(ambiguous.error().what.find("20261120-103000-aabb"), std::string::npos) << ambiguous.error().what;
  auto runs = must(store_->runs(2));
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].id, "20261120-103000-aabb");
  EXPECT_EQ(runs[1].id, "20261121-103000-cccc");
}

TEST_F(StoreQueryTest, AnIdThatIsAPrefixOfAnotherIsFound) {
  add_run(*store_, "r1", 100), add_run(*store_, "r10", 200);
  EXPECT_EQ(must(store_->run("r1"))->id, "r1");
}

TEST_F(StoreQueryTest, LongListsOfCandidatesAreCut) {
  for (int i = 0; i < 9; ++i) add_run(*store_, "r" + std::to_string(i));
  auto ambiguous = store_->run("r");
  ASSERT_EQ(code_of(ambiguous), Errc::usage);
  EXPECT_TRUE(ambiguous.error().what.find("…") != std::string::npos) << ambiguous.error().what;
  EXPECT_LT(ambiguous.error().what.size(), 120U);
}

TEST_F(StoreQueryTest, OnlyTheNewestJudgementOfACheckCounts) {
  must(store_->add_run(run_row("r1"), {layer_row("rack")}, {{"", "rack", "b", "B", "gate", 1}, {"", "rack", "a", "A", "gate", 2}}));
  judge("r1", "h0", "a", Verdict::error);
  judge("r1", "h1", "a", Verdict::fail);
  judge("r1", "h0", "b", Verdict::pass);
  judge("r1", "h0", "a", Verdict::pass, 2);
  auto gpu = judgement(key("r1", "h0", "a"), Verdict::warn);
  gpu.key.subject = "gpu0";
  must(store_->add_result(nullptr, gpu));
  auto judged = must(store_->judgements("r1"));
  ASSERT_EQ(judged.size(), 4U);
  EXPECT_EQ(judged[0].key.check, "b");  // the plan's order
  EXPECT_EQ(judged[1].key.attempt, 2);
  EXPECT_EQ(judged[1].verdict, Verdict::pass);
  EXPECT_EQ(judged[2].key.subject, "gpu0");
  EXPECT_EQ(judged[3].key.host, "h1");
}

TEST_F(StoreQueryTest, HistoryGoesBackAcrossRuns) {
  add_run(*store_, "r1", 100), add_run(*store_, "r2", 200);
  must(store_->set_layer_subject("r2", "rack", {.path = "", .commit = "c2", .dirty = false, .digest = "d2", .image = ""}));
  judge("r1", "h0", "os.kernel", Verdict::fail, 1, "6.8");
  judge("r2", "h0", "os.kernel", Verdict::error);
  judge("r2", "h0", "os.kernel", Verdict::pass, 2, "6.14");
  judge("r2", "h0", "os.other", Verdict::pass);
  auto rows = must(store_->history("os.kernel", 10));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].run + rows[0].layer + rows[0].host, "r2rackh0");
  EXPECT_EQ(rows[0].verdict, Verdict::pass);
  EXPECT_EQ(rows[0].measured, "6.14");
  EXPECT_EQ(rows[0].subject_commit, "c2");
  EXPECT_EQ(rows[1].reason, "said so");
  EXPECT_EQ(rows[1].subject_commit, "c1");
  EXPECT_EQ(rows[1].at, 1'700'000'000'000);
  EXPECT_EQ(must(store_->history("os.kernel", 1)).size(), 1U);
}

TEST_F(StoreQueryTest, TookTellsHowLongEveryObservationOfARunTook) {
  add_run(*store_, "r1"), add_run(*store_, "r2");
  for (auto& k : {key("r1", "h0", "a"), key("r1", "h0", "a", 2), key("r2", "h0", "a")}) {
    auto o = observation(k);
    o.started = 1000 * k.attempt, o.took = Duration{70 * k.attempt};
    must(store_->add_result(&o, judgement(k, Verdict::pass)));
  }
  auto took = must(store_->took("r1"));
  ASSERT_EQ(took.size(), 2U);
  EXPECT_EQ(took[1].run + took[1].layer + took[1].host + took[1].check, "r1rackh0a");
  EXPECT_EQ(took[1].started, 2000);
  EXPECT_EQ(took[1].took, Duration{140});
}
