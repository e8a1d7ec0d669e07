#include "orchestrator/engine/evaluate.hpp"

#include <gtest/gtest.h>

using namespace vt;
using Op = Expectation::Op;

namespace {

Check uname_check(Severity severity = Severity::gate) {
  Check check;
  check.id = "os.kernel";
  check.severity = severity;
  check.how = CommandRun{{"uname", "-r"}};
  check.values = {{"value", ValueType::version, "", {}, Expectation{Op::at_least, {"6.13"}, {}}}};
  return check;
}

protocol::JobResult printed(const std::string& text, int exit_code = 0) {
  protocol::JobResult r;
  r.exit_code = exit_code;
  r.out = {text, "", text.size(), 1};
  return r;
}

Judgement judge_output(const Check& check, const protocol::JobResult& result, const Expectations& replaced = {}) {
  return evaluate(check, replaced, observe(check, {}, result));
}

}  // namespace

TEST(Evaluate, PassesAndFailsOnTheMeasuredValue) {
  EXPECT_EQ(judge_output(uname_check(), printed("6.14.0-27-generic\n")).verdict, Verdict::pass);
  auto j = judge_output(uname_check(), printed("6.8.0-45-generic\n"));
  EXPECT_EQ(j.verdict, Verdict::fail);
  EXPECT_EQ(j.cause, Cause::host);
  EXPECT_EQ(j.reason, "measured 6.8.0-45-generic, required at-least 6.13");
}

TEST(Evaluate, SeverityDecidesWhatAMissIs) {
  EXPECT_EQ(judge_output(uname_check(Severity::warn), printed("6.8")).verdict, Verdict::warn);
  EXPECT_EQ(judge_output(uname_check(Severity::info), printed("6.8")).verdict, Verdict::info);
}

TEST(Evaluate, NoValueIsAnError) {
  for (auto& result : {printed(""), printed("unknown"), printed("6.14", 1)}) {
    auto j = judge_output(uname_check(), result);
    EXPECT_EQ(j.verdict, Verdict::error);
    EXPECT_EQ(j.cause, Cause::check);
    EXPECT_FALSE(j.reason.empty());
  }
}

TEST(Evaluate, WhatBrokeIsSaid) {
  auto timed_out = printed("");
  timed_out.timed_out = true;
  EXPECT_EQ(judge_output(uname_check(), timed_out).reason, "timed out after 10s");
  auto killed = printed("6.14");
  killed.exit_code.reset();
  killed.signal = 11;
  EXPECT_EQ(judge_output(uname_check(), killed).reason, "ended by signal 11");
  auto failed = printed("", 2);
  failed.err = {"uname: bad option\n", "", 18, 1};
  EXPECT_EQ(judge_output(uname_check(), failed).reason, "ended with status 2: uname: bad option");
  auto missing = printed("");
  missing.error = "no such program: uname";
  EXPECT_EQ(judge_output(uname_check(), missing).reason, "no such program: uname");
}

TEST(Evaluate, ThePlanReplacesTheCheckOwnExpectation) {
  Expectations stricter{{"os.kernel", {Op::at_least, {"6.15"}, {}}}};
  EXPECT_EQ(judge_output(uname_check(), printed("6.14"), stricter).verdict, Verdict::fail);
  Expectations looser{{"os.kernel/value", {Op::at_least, {"6.5"}, {}}}};
  EXPECT_EQ(judge_output(uname_check(), printed("6.8"), looser).verdict, Verdict::pass);
}

TEST(Evaluate, AnythingGoesIsNoProof) {
  Expectations any{{"os.kernel", {Op::any, {}, {}}}};
  EXPECT_EQ(judge_output(uname_check(), printed("6.8"), any).verdict, Verdict::info);
  EXPECT_EQ(judge_output(uname_check(), printed(""), any).verdict, Verdict::error);
}

TEST(Evaluate, RecordedOnlyIsInfo) {
  auto check = uname_check();
  check.values[0].expect.reset();
  EXPECT_EQ(judge_output(check, printed("6.8")).verdict, Verdict::info);
  EXPECT_EQ(judge_output(check, printed("")).verdict, Verdict::error);
}

TEST(Evaluate, AStatusIsAResultOnlyWhereAValueReadsIt) {
  auto check = uname_check();
  check.values = {
      {"value", ValueType::integer, "", {Reader::From::exit_code, Reader::By::whole, "", false}, Expectation{Op::equals, {"0"}, {}}}};
  EXPECT_EQ(judge_output(check, printed("", 3)).verdict, Verdict::fail);
  EXPECT_EQ(judge_output(check, printed("", 0)).verdict, Verdict::pass);
}

TEST(Evaluate, AnUnknownFactIsAnErrorNotAPass) {
  Check check;
  check.id = "gpu.count";
  check.how = ProbeRun{"gpu"};
  check.values = {
      {"value", ValueType::integer, "", {Reader::From::result, Reader::By::whole, "", false}, Expectation{Op::at_least, {"1"}, {}}}};
  Capabilities host;
  EXPECT_EQ(evaluate(check, {}, observe_fact(check, {}, host)).verdict, Verdict::error);
  host.set({"gpu", std::nullopt, "EACCES", {}, {}});
  auto unknown = evaluate(check, {}, observe_fact(check, {}, host));
  EXPECT_EQ(unknown.verdict, Verdict::error);
  EXPECT_EQ(unknown.cause, Cause::capability);
  host.set({"gpu", Value(2), "two devices", {}, {}});
  EXPECT_EQ(evaluate(check, {}, observe_fact(check, {}, host)).verdict, Verdict::pass);
  host.set({"gpu", Value(0), "none", {}, {}});
  EXPECT_EQ(evaluate(check, {}, observe_fact(check, {}, host)).verdict, Verdict::fail);
}

TEST(Evaluate, WhatCouldNotBeReadIsNotAbsent) {
  auto check = uname_check();
  check.values = {{"value", ValueType::text, "", {Reader::From::out, Reader::By::regex, "Xid", false}, Expectation{Op::absent, {}, {}}}};
  EXPECT_EQ(judge_output(check, printed("all quiet")).verdict, Verdict::pass);
  EXPECT_EQ(judge_output(check, printed("NVRM: Xid 79")).verdict, Verdict::fail);
  auto cut = printed("all quiet");
  cut.out.bytes = 1'000'000;
  EXPECT_EQ(judge_output(check, cut).verdict, Verdict::error);
  EXPECT_EQ(judge_output(check, cut).reason, "output was cut");
  EXPECT_EQ(judge_output(check, printed(std::string(5000, 'a'))).verdict, Verdict::error);
}
