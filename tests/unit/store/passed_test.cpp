#include "fixture.hpp"

using namespace vt;
using namespace vt::test;

namespace {

/// A run that passed, each test spoiling one thing.
class PassedTest : public testing::Test {
 protected:
  void record(RunRow run = run_row("r1"), std::vector<Verdict> verdicts = {Verdict::pass, Verdict::skip},
              LayerState state = LayerState::done, EvidenceOrigin origin = EvidenceOrigin::real) {
    std::vector<PlannedRow> planned;
    for (std::size_t i = 0; i < verdicts.size(); ++i)
      planned.push_back({"", "rack", "c" + std::to_string(i), "", "gate", static_cast<int>(i)});
    must(store_->add_run(run, {layer_row("rack")}, planned));
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      auto j = judgement(key(run.id, "h0", "c" + std::to_string(i)), verdicts[i]);
      j.origin = origin;
      must(store_->add_result(nullptr, j));
    }
    must(store_->move_layer(run.id, "rack", state, ""));
    must(store_->end_run(run.id, 0));
  }
  [[nodiscard]] bool passed(EpochMs since = 0, const std::string& plan = "blackwell", const std::string& layer = "rack",
                            const std::string& digest = "d1") const {
    return must(store_->passed(plan, layer, digest, since)).has_value();
  }
  TempDir dir_;
  ManualClock clock_;
  std::unique_ptr<Store> store_ = must(Store::open(dir_.state(), clock_));
};

}  // namespace

TEST_F(PassedTest, TellsWhenTheNewestOneEnded) {
  record();
  auto first = clock_.wall();
  clock_.wall_ms += 1000;
  record(run_row("r2"));
  EXPECT_EQ(must(store_->passed("blackwell", "rack", "d1", first)), clock_.wall());
  EXPECT_TRUE(passed(clock_.wall()));
  EXPECT_FALSE(passed(clock_.wall() + 1));
  EXPECT_FALSE(passed(0, "other"));
  EXPECT_FALSE(passed(0, "blackwell", "other"));
  EXPECT_FALSE(passed(0, "blackwell", "rack", "d2"));
}

TEST_F(PassedTest, AnOlderPassStandsBehindANewerFailure) {
  record();
  auto first = clock_.wall();
  clock_.wall_ms += 1000;
  record(run_row("r2"), {Verdict::fail});
  EXPECT_EQ(must(store_->passed("blackwell", "rack", "d1", 0)), first);
}

TEST_F(PassedTest, NeedsAProof) {
  record(run_row("r1"), {Verdict::skip, Verdict::info});
  EXPECT_FALSE(passed());
  record(run_row("r2"), {});
  EXPECT_FALSE(passed());
  record(run_row("r3"), {Verdict::warn});
  EXPECT_TRUE(passed());
}

TEST_F(PassedTest, NothingMayCountAgainstIt) {
  int n = 0;
  for (auto bad : {Verdict::fail, Verdict::blocked, Verdict::error, Verdict::cancelled}) {
    record(run_row("r" + std::to_string(n++)), {Verdict::pass, bad});
    EXPECT_FALSE(passed()) << name(bad);
  }
}

TEST_F(PassedTest, NeedsADoneLayerOfAnEndedRun) {
  record(run_row("r1"), {Verdict::pass}, LayerState::failed);
  EXPECT_FALSE(passed());
  record(run_row("r2"));
  must(store_->take_run("r2"));
  EXPECT_FALSE(passed());
}

TEST_F(PassedTest, RehearsalsProveNothing) {
  auto rehearsal = run_row("r1");
  rehearsal.origin = EvidenceOrigin::rehearsal;
  record(rehearsal);
  record(run_row("r2"), {Verdict::pass}, LayerState::done, EvidenceOrigin::rehearsal);
  EXPECT_FALSE(passed());
}

TEST_F(PassedTest, SelectionsAndUnjudgedChecksDoNotCount) {
  auto selected = run_row("r1");
  selected.selection = R"({"check":["os.*"]})";
  record(selected);
  EXPECT_FALSE(passed());
  must(store_->add_run(run_row("r2"), {layer_row("rack")}, {{"", "rack", "c0", "", "gate", 0}, {"", "rack", "c1", "", "gate", 1}}));
  must(store_->add_result(nullptr, judgement(key("r2", "h0", "c0"), Verdict::pass)));
  must(store_->move_layer("r2", "rack", LayerState::done, ""));
  must(store_->end_run("r2", 0));
  EXPECT_FALSE(passed());
  auto whole = run_row("r3");
  whole.selection = "{}";
  record(whole);
  EXPECT_TRUE(passed());
}

TEST_F(PassedTest, CountsForTheSubjectTheLayerSaw) {
  record();
  must(store_->set_layer_subject("r1", "rack", {.path = "", .commit = "c2", .dirty = false, .digest = "d2", .image = ""}));
  EXPECT_FALSE(passed());
  EXPECT_TRUE(passed(0, "blackwell", "rack", "d2"));
}

TEST_F(PassedTest, ARepeatedCheckCountsByItsLastAttempt) {
  record(run_row("r1"), {Verdict::error});
  must(store_->add_result(nullptr, judgement(key("r1", "h0", "c0", 2), Verdict::pass)));
  EXPECT_TRUE(passed());
}
