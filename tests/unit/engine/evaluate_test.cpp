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
  check.values = {{"value", ValueType::version, "", {}, Expectation{Op::at_least, {"6.13"}, {}}, ""}};
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

namespace {

Check gpu_check() {
  Check check;
  check.id = "gemm.bf16";
  check.how = AgentRun{"gemm", {}};
  auto list = [](const std::string& at) { return Reader{Reader::From::result, Reader::By::json, at, true}; };
  check.values = {{"value", ValueType::number, "TFLOP/s", list("/tflops"), {}, "gemm.bf16"},
                  {"wrong", ValueType::integer, "", list("/wrong"), Expectation{Op::equals, {"0"}, {}}, ""},
                  {"health", ValueType::text, "", list("/health"), Expectation{Op::equals, {"ok"}, {}}, ""},
                  {"telemetry", ValueType::text, "", list("/telemetry"), {}, ""}};
  return check;
}

protocol::JobResult returned(const std::string& values, const std::string& device = "2 x NVIDIA RTX (GPU-1, GPU-2)") {
  protocol::JobResult r;
  r.exit_code = 0;
  r.values = values;
  r.device = device;
  return r;
}

Baselines of_rtx() {
  Figure f;
  f.keys = {"gemm.bf16"}, f.low = f.high = 200, f.warn = 0.6, f.fail = 0.5, f.max = 1.2;
  f.unit = "TFLOP/s", f.sources = {"mh"}, f.date = "2026-11-20", f.file = "rtx.yaml";
  Baselines all;
  all.gpus.push_back({"rtx", {"NVIDIA RTX"}, {}, {f}, "rtx.yaml"});
  return all;
}

Judgement judge_gpus(const std::string& values, const std::string& device = "2 x NVIDIA RTX (GPU-1, GPU-2)",
                     const Expectations& replaced = {}) {
  return evaluate(gpu_check(), replaced, observe(gpu_check(), {}, returned(values, device)), of_rtx());
}

}  // namespace

TEST(Evaluate, ListsOfAnAgentCheckAreJudgedGpuByGpu) {
  EXPECT_EQ(
      judge_gpus(R"({"tflops": [150, 151.5], "wrong": [0, 0], "health": ["ok", "ok"], "telemetry": [{"power_w": {"mean": 500}}]})").verdict,
      Verdict::pass);
  auto wrong = judge_gpus(R"({"tflops": [150, 151], "wrong": [0, 3], "health": ["ok", "ok"], "telemetry": []})");
  EXPECT_EQ(wrong.verdict, Verdict::fail);
  EXPECT_EQ(wrong.reason, "wrong: #1: measured 3, required 0");
}

TEST(Evaluate, ADefiniteMissOutranksWhatCouldNotBeRead) {
  auto lost = judge_gpus(R"({"wrong": [0], "health": ["ok", "XID 79: fell off the bus"]})");
  EXPECT_EQ(lost.verdict, Verdict::fail);
  EXPECT_EQ(lost.cause, Cause::host);
  EXPECT_EQ(lost.reason, "health: #1: measured XID 79: fell off the bus, required ok; besides not readable: no value");
  EXPECT_EQ(judge_gpus(R"({"wrong": [null, 3], "tflops": [150], "health": ["ok"]})").verdict, Verdict::fail);
  EXPECT_EQ(judge_gpus(R"({"wrong": [0], "tflops": [null], "health": ["ok"]})").verdict, Verdict::error);
}

TEST(Evaluate, AGpuWithoutAValueKeepsItsPlaceInTheList) {
  auto values = [](const std::string& wrong, const std::string& telemetry) {
    return R"({"tflops": [150, 151], "health": ["ok", "ok"], "wrong": )" + wrong + R"(, "telemetry": )" + telemetry + "}";
  };
  auto recorded = judge_gpus(values("[0, 0]", R"([null, "x"])"));
  EXPECT_EQ(recorded.verdict, Verdict::pass) << "it is only recorded";
  EXPECT_EQ(recorded.values.at(3).measured, "-, x");
  EXPECT_EQ(judge_gpus(values("[0, 0]", "[null, null]")).verdict, Verdict::pass);
  auto unread = judge_gpus(values("[0, null]", "[]"));
  EXPECT_EQ(unread.verdict, Verdict::error);
  EXPECT_EQ(unread.reason, "wrong: #1: no value");
  auto missed = judge_gpus(values("[null, 3]", "[]"));
  EXPECT_EQ(missed.verdict, Verdict::fail);
  EXPECT_EQ(missed.reason, "wrong: #1: measured 3, required 0");
}

TEST(Evaluate, WhatDoesNotApplyProvesNothing) {
  Check check = gpu_check();
  check.values.clear();
  for (auto* name : {"value", "health"}) {
    ValueSpec spec;
    spec.name = name, spec.read.from = Reader::From::result, spec.read.by = Reader::By::json, spec.read.all = true;
    spec.read.pattern = std::string("/") + name;
    spec.expect = Expectation{Expectation::Op::one_of, {"ok", "n/a"}};
    check.values.push_back(spec);
  }
  auto judged = [&](const std::string& value) {
    return evaluate(check, {}, observe(check, {}, returned(R"({"health": ["ok", "ok"], "value": )" + value + "}", "2 x NVIDIA RTX")), {});
  };
  EXPECT_EQ(judged(R"(["ok", "n/a"])").verdict, Verdict::pass);
  auto none = judged(R"(["n/a", "n/a"])");
  EXPECT_EQ(none.verdict, Verdict::info) << "that the GPUs stayed well does not prove what could not be tried";
  EXPECT_EQ(none.reason, "n/a, n/a");
  EXPECT_EQ(judged(R"(["n/a", "bad"])").verdict, Verdict::fail);
}

TEST(Evaluate, BaselinesDecideWhereTheyAreKnown) {
  auto with = [](const std::string& tflops) { return R"({"wrong": [0, 0], "health": ["ok", "ok"], "tflops": )" + tflops + "}"; };
  auto low = judge_gpus(with("[150, 110]"));
  EXPECT_EQ(low.verdict, Verdict::warn);
  EXPECT_EQ(low.reason, "#1: measured 110 TFLOP/s, required at-least 120 TFLOP/s: 60 % of 200 (theory, mh, 2026-11-20, rtx.yaml)");
  EXPECT_EQ(judge_gpus(with("[150, 90]")).verdict, Verdict::fail);
  auto bug = judge_gpus(with("[150, 370]"));
  EXPECT_EQ(bug.verdict, Verdict::error);
  EXPECT_EQ(bug.cause, Cause::check);
  auto unknown = judge_gpus(with("[150]"), "NVIDIA Other (GPU-1)");
  EXPECT_EQ(unknown.verdict, Verdict::info) << "never a pass";
  EXPECT_EQ(unknown.reason, "no baseline for NVIDIA Other; `vault-test baseline learn RUN` makes one");
  EXPECT_EQ(judge_gpus(with("[0.01]"), "cpu").verdict, Verdict::pass) << "on the processor only correctness counts";
  EXPECT_EQ(judge_gpus(with("[150]"), "NVIDIA Other (GPU-1)", {{"gemm.bf16", Expectation{Op::at_least, {"160"}, {}}}}).verdict,
            Verdict::fail)
      << "the plan's own expectation wins";
  auto held = judge_gpus(with("[150, 151]"));
  EXPECT_EQ(held.values.at(0).rule, "at-least 120 TFLOP/s: 60 % of 200 (theory, mh, 2026-11-20, rtx.yaml)");
}

TEST(Evaluate, AnOverlookedFaultIsNoFaultOfTheHardware) {
  auto test = gpu_check();
  test.id = std::string(kSelfTest);
  ObservationKey key;
  key.check = test.id;
  auto judged = [&](const std::string& values) { return self_tested(evaluate(test, {}, observe(test, key, returned(values)), of_rtx())); };
  auto overlooked = judged(R"({"tflops": [150], "wrong": [1], "health": ["ok"]})");
  EXPECT_EQ(overlooked.verdict, Verdict::error);
  EXPECT_EQ(overlooked.cause, Cause::self_test);
  auto ill = judged(R"({"tflops": [150], "wrong": [0], "health": ["XID 79: fell off the bus"]})");
  EXPECT_EQ(ill.verdict, Verdict::fail) << "its GPU is ill, the checker is not";
  EXPECT_EQ(judged(R"({"tflops": [150], "wrong": [0], "health": ["ok"]})").verdict, Verdict::pass);
  test.values = {{"memory",
                  ValueType::text,
                  "",
                  {Reader::From::result, Reader::By::json, "/memory", true},
                  Expectation{Op::equals, {"found"}, {}},
                  ""}};
  EXPECT_EQ(judged(R"({"memory": ["found", "missed"]})").cause, Cause::self_test);
  auto not_run = judged(R"({"memory": ["found", "not run: no memory is free"]})");
  EXPECT_EQ(not_run.verdict, Verdict::error);
  EXPECT_EQ(not_run.cause, Cause::check) << "nothing was overlooked";
  EXPECT_EQ(judged(R"({"memory": ["missed", "not run: no memory is free"]})").cause, Cause::self_test);
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
      {"value", ValueType::integer, "", {Reader::From::exit_code, Reader::By::whole, "", false}, Expectation{Op::equals, {"0"}, {}}, ""}};
  EXPECT_EQ(judge_output(check, printed("", 3)).verdict, Verdict::fail);
  EXPECT_EQ(judge_output(check, printed("", 0)).verdict, Verdict::pass);
}

TEST(Evaluate, AnUnknownFactIsAnErrorNotAPass) {
  Check check;
  check.id = "gpu.count";
  check.how = ProbeRun{"gpu"};
  check.values = {
      {"value", ValueType::integer, "", {Reader::From::result, Reader::By::whole, "", false}, Expectation{Op::at_least, {"1"}, {}}, ""}};
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
  check.values = {
      {"value", ValueType::text, "", {Reader::From::out, Reader::By::regex, "Xid", false}, Expectation{Op::absent, {}, {}}, ""}};
  EXPECT_EQ(judge_output(check, printed("all quiet")).verdict, Verdict::pass);
  EXPECT_EQ(judge_output(check, printed("NVRM: Xid 79")).verdict, Verdict::fail);
  auto cut = printed("all quiet");
  cut.out.bytes = 1'000'000;
  EXPECT_EQ(judge_output(check, cut).verdict, Verdict::error);
  EXPECT_EQ(judge_output(check, cut).reason, "output was cut");
  EXPECT_EQ(judge_output(check, printed(std::string(5000, 'a'))).verdict, Verdict::error);
}
