// Every verdict through the whole program on this machine: what is shown, and the exit code.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/program.hpp"

using vt::test::Program;

namespace {

std::string local_plan(Program& program, const std::string& checks, const std::string& more = "") {
  return program.plan("vault-test: 1\nname: here\n" + more + "layers:\n  here: {provider: local, " + checks + "}\n");
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST(Verdicts, AllWellIsZero) {
  Program program;
  auto ended = program.run({"run", local_plan(program, "suites: [good]")});
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "COMPLETE")) << ended.out;
  EXPECT_TRUE(has(ended.out, "WARN t.warn")) << ended.out;
  EXPECT_TRUE(has(ended.out, "skip gpu>=100")) << ended.out;
  EXPECT_TRUE(has(ended.out, "UNPROVEN: t.skip")) << ended.out;
}

TEST(Verdicts, AFailureIsOneAndBlocksWhatIsBehindIt) {
  Program program;
  auto ended = program.run({"run", local_plan(program, "suites: [bad]")});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(has(ended.out, "FAIL t.fail")) << ended.out;
  EXPECT_TRUE(has(ended.out, "measured 3, required at-least 5")) << ended.out;
  EXPECT_TRUE(has(ended.out, "t.fail is fail")) << ended.out;
  EXPECT_TRUE(has(ended.out, "Nothing helps")) << ended.out;
}

TEST(Verdicts, ChecksThatBreakAreErrorsNeverPasses) {
  Program program;
  auto ended = program.run({"run", local_plan(program, "suites: [broken]")});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(has(ended.out, "no value")) << ended.out;
  EXPECT_TRUE(has(ended.out, "timed out after 1s")) << ended.out;
  EXPECT_TRUE(has(ended.out, "signal 11")) << ended.out;
  EXPECT_FALSE(has(ended.out, "COMPLETE")) << ended.out;
}

TEST(Verdicts, NothingRanIsNeverGreen) {
  Program program;
  auto ended = program.run({"run", local_plan(program, "checks: [t.skip]")});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_TRUE(has(ended.out, "NOTHING PROVEN")) << ended.out;
  EXPECT_EQ(program.run({"run", local_plan(program, "checks: [t.info]")}).exit_code, 3) << "a figure proves nothing";
}

TEST(Verdicts, AFloodIsCutAndCounted) {
  Program program;
  auto ended = program.run({"run", local_plan(program, "checks: [t.flood, t.pass]")});
  EXPECT_EQ(ended.exit_code, 1) << ended.out;
  EXPECT_TRUE(has(ended.out, "output was cut")) << ended.out;
  auto logs = program.run({"logs", "last", "here", "t.flood"});
  EXPECT_TRUE(has(logs.out, "1000000003 bytes")) << logs.out.substr(0, 300);
  EXPECT_TRUE(has(logs.out, "bytes left out")) << "head and tail are kept";
  EXPECT_LT(logs.out.size(), 500'000U) << "the output's head and tail, and as much of a kept log";
}

TEST(Verdicts, ThePlanCanReplaceAnExpectationAndSkip) {
  Program program;
  EXPECT_EQ(program.run({"run", local_plan(program, "suites: [five]", "expect: {t.fail: {at-least: 3}}\n")}).exit_code, 0);
  auto skipped = program.run({"run", local_plan(program, "suites: [five], skip: [t.f*]")});
  EXPECT_EQ(skipped.exit_code, 0);
  EXPECT_TRUE(has(skipped.out, "the plan skips it")) << skipped.out;
}

TEST(Verdicts, ASecretIsUsedButNeverKept) {
  Program program;
  std::string canary = "canary-6f1e-secret-77";
  program.environment["VT_SCENARIO_SECRET"] = canary;
  auto ended = program.run({"run", local_plan(program, "checks: [t.secret]", "secrets: [VT_SCENARIO_SECRET]\n")});
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  auto logs = program.run({"logs", "last", "here", "t.secret"});
  EXPECT_TRUE(has(logs.out, "[VT_SCENARIO_SECRET]")) << logs.out;
  EXPECT_NE(vt::test::shell("grep -rqF -e '" + canary + "' -e \"$(printf %s '" + canary + "' | base64)\" '" + program.state() + "'"), 0)
      << "the secret is in the state folder";
}

TEST(Verdicts, AMissingSecretIsSaidBeforeAnythingStarts) {
  Program program;
  auto ended = program.run({"run", local_plan(program, "checks: [t.secret]", "secrets: [VT_SCENARIO_SECRET]\n")});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(has(ended.err, "VT_SCENARIO_SECRET is not set")) << ended.err;
}

TEST(Verdicts, TheTimeBudgetCancelsWithFour) {
  Program program;
  auto ended = program.run({"run", local_plan(program, "checks: [t.pass, t.long], budget: {time: 1s}")});
  EXPECT_EQ(ended.exit_code, 4) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "BUDGET")) << ended.out;
}
