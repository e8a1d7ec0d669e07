#include "orchestrator/report/outcome.hpp"

#include "tests/unit/report/fixture.hpp"

namespace vt {
namespace {

Judgement judgement(Verdict verdict, Cause cause) {
  Judgement j;
  j.verdict = verdict, j.cause = cause;
  return j;
}

TEST(CostLine, SaysWhatItCostWheneverSomethingWasCreated) {
  RunView view;
  EXPECT_EQ(outcome_of(view).cost, "") << "nothing was created, so there is nothing to say";
  view.created = 1;
  EXPECT_EQ(outcome_of(view).cost, "cost $0.00");
  view.spent = Money{412'345}, view.cap = Money{9'000'000};
  EXPECT_EQ(outcome_of(view).cost, "cost $0.42 of cap $9.00");
  view.open_resources = {"vt-a-1"}, view.kept = {{"vt-a-2", "kept", ""}};
  EXPECT_EQ(outcome_of(view).cost, "cost $0.42 of cap $9.00, and counting: 2 hosts still open");
  view.open_resources.clear(), view.kept.clear(), view.run.origin = EvidenceOrigin::rehearsal;
  EXPECT_EQ(outcome_of(view).cost, "cost $0.42 of cap $9.00 (rehearsal: not paid)");
}

TEST(ExitCodeOf, FollowsVerdictAndCause) {
  struct Case {
    Verdict verdict;
    Cause cause;
    int code;
  };
  for (auto& c : std::vector<Case>{{Verdict::pass, Cause::none, 0},
                                   {Verdict::warn, Cause::check, 0},
                                   {Verdict::info, Cause::check, 0},
                                   {Verdict::skip, Cause::capability, 0},
                                   {Verdict::skip, Cause::operator_, 0},
                                   {Verdict::fail, Cause::check, 1},
                                   {Verdict::error, Cause::check, 1},
                                   {Verdict::error, Cause::self_test, 3},
                                   {Verdict::blocked, Cause::self_test, 3},
                                   {Verdict::error, Cause::capability, 1},
                                   {Verdict::error, Cause::infrastructure, 3},
                                   {Verdict::error, Cause::host, 3},
                                   {Verdict::blocked, Cause::dependency, 1},
                                   {Verdict::blocked, Cause::infrastructure, 3},
                                   {Verdict::blocked, Cause::host, 3},
                                   {Verdict::cancelled, Cause::operator_, 130},
                                   {Verdict::cancelled, Cause::budget, 4}})
    EXPECT_EQ(exit_code_of(judgement(c.verdict, c.cause)), c.code) << name(c.verdict) << " by " << name(c.cause);
}

/// A run of one layer with one check per judgement; no database.
RunView run_of(const std::vector<Judgement>& judgements, LayerState state = LayerState::done) {
  RunView view;
  view.run.id = "r";
  view.layers.emplace_back();
  view.layers[0].row.name = "cube", view.layers[0].row.state = state;
  view.columns.push_back({0, "cube", "cube"});
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    view.rows.emplace_back();
    view.rows[i].check = "check." + std::to_string(i);
    view.rows[i].cells.push_back({true, {judgements[i]}, {}});
    ++view.layers[0].counts[judgements[i].verdict];
  }
  return view;
}

const Judgement kPass = judgement(Verdict::pass, Cause::none);
const Judgement kSkip = judgement(Verdict::skip, Cause::capability);
const Judgement kFail = judgement(Verdict::fail, Cause::check);
const Judgement kLost = judgement(Verdict::error, Cause::infrastructure);
const Judgement kBudget = judgement(Verdict::cancelled, Cause::budget);
const Judgement kInterrupted = judgement(Verdict::cancelled, Cause::operator_);

TEST(Outcome, WorstCodeWinsByPrecedence) {
  EXPECT_EQ(outcome_of(run_of({kPass})).exit_code, 0);
  EXPECT_EQ(outcome_of(run_of({kPass, kFail})).exit_code, 1);
  EXPECT_EQ(outcome_of(run_of({kFail, kLost})).exit_code, 3);
  EXPECT_EQ(outcome_of(run_of({kFail, kLost, kBudget})).exit_code, 4);
  EXPECT_EQ(outcome_of(run_of({kFail, kLost, kBudget, kInterrupted})).exit_code, 130);
  auto left = run_of({kFail, kLost, kBudget, kInterrupted});
  left.open_resources = {"vt-a-b"};
  EXPECT_EQ(outcome_of(left).exit_code, 5);
  EXPECT_EQ(outcome_of(left).next, "vault-test reap");
  auto rehearsed = left;
  rehearsed.run.origin = EvidenceOrigin::rehearsal;
  EXPECT_EQ(outcome_of(rehearsed).next, "vault-test reap --rehearse");
  EXPECT_NE(outcome_of(left).sentence.find("vt-a-b"), std::string::npos);
}

TEST(Outcome, NothingProvenIsNeverGreen) {
  for (auto& view : {run_of({}), run_of({kSkip, kSkip}), run_of({judgement(Verdict::info, Cause::check)}), RunView{}}) {
    auto outcome = outcome_of(view);
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_EQ(outcome.sentence.find("NOTHING PROVEN"), 0U) << outcome.sentence;
  }
}

TEST(Outcome, WhatTheProcessorShowedIsNoProof) {
  auto on_cpu = kPass;
  on_cpu.origin = EvidenceOrigin::rehearsal, on_cpu.reason = "cpu: the processor stood in for the GPU";
  EXPECT_EQ(outcome_of(run_of({on_cpu})).exit_code, 3);
  EXPECT_EQ(outcome_of(run_of({on_cpu})).next, "") << "there is nothing to resume";
  EXPECT_EQ(outcome_of(run_of({on_cpu}, LayerState::failed)).next, "vault-test resume r");
  EXPECT_EQ(outcome_of(run_of({on_cpu, kPass})).exit_code, 0);
}

TEST(Outcome, AMissedSelfTestMakesTheRunInvalid) {
  auto outcome =
      outcome_of(run_of({kPass, kFail, judgement(Verdict::error, Cause::self_test), judgement(Verdict::blocked, Cause::self_test)}));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.sentence.find("INVALID (a checker overlooked a fault in its self-test): 1 failure, 1 error"), 0U) << outcome.sentence;
}

TEST(Outcome, ZeroNeedsEveryLayerDone) {
  EXPECT_EQ(outcome_of(run_of({kPass}, LayerState::failed)).exit_code, 3);
  EXPECT_EQ(outcome_of(run_of({kPass}, LayerState::blocked)).exit_code, 1);
  EXPECT_EQ(outcome_of(run_of({kPass}, LayerState::cancelled)).exit_code, 130);
  EXPECT_EQ(outcome_of(run_of({kPass}, LayerState::execute)).exit_code, 3) << "the run has ended, the layer has not";
}

TEST(Outcome, AMissingVerdictIsIncompleteOrInterrupted) {
  auto view = run_of({kPass});
  view.rows.emplace_back();
  view.rows.back().cells.push_back({true, {}, {}});
  view.layers[0].counts.none = 1;
  EXPECT_EQ(outcome_of(view).exit_code, 3);
  EXPECT_EQ(outcome_of(view).sentence, "INCOMPLETE: 0 failures, 1 not run, 0 unproven, $0.00 spent");
  view.state = RunView::State::interrupted;
  EXPECT_EQ(outcome_of(view).exit_code, 130);
  EXPECT_EQ(outcome_of(view).next, "vault-test resume r");
}

TEST(Outcome, ARunningRunIsNotGreenYet) {
  auto view = run_of({kPass}, LayerState::execute);
  view.state = RunView::State::running;
  view.open_resources = {"vt-a-b"};
  EXPECT_EQ(outcome_of(view).exit_code, 3) << "its host is in use, not left behind";
  EXPECT_EQ(outcome_of(view).sentence.find("RUNNING: "), 0U);
}

TEST(Outcome, ARehearsalSaysSoAndIsNoEvidence) {
  auto view = run_of({kPass});
  view.run.origin = EvidenceOrigin::rehearsal;
  EXPECT_EQ(outcome_of(view).sentence.find("REHEARSED (no evidence): "), 0U);
  view = run_of({kFail});
  view.run.origin = EvidenceOrigin::rehearsal;
  EXPECT_EQ(outcome_of(view).sentence.find("REHEARSAL FAILED: "), 0U);
}

TEST(Outcome, SuggestsAMachineThatHasWhatWasMissing) {
  auto skip = kSkip;
  skip.capability = "gpu>=2";
  EXPECT_EQ(outcome_of(run_of({kPass, skip, skip})).next, "vault-test check USER@HOST, on a machine with gpu>=2");
  skip.capability = "!virt.container";
  EXPECT_EQ(outcome_of(run_of({kPass, skip})).next, "vault-test check USER@HOST, on a machine with no virt.container");
  EXPECT_EQ(outcome_of(run_of({kPass, judgement(Verdict::warn, Cause::check)})).next, "vault-test why check.1");
}

}  // namespace
}  // namespace vt
