// Commands as a person uses them: selectors, kept hosts, reports, events, usage errors.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/program.hpp"

using nlohmann::json;
using vt::test::Program;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string here_plan(Program& program) {
  return program.plan("vault-test: 1\nname: here\nlayers:\n  here: {provider: local, suites: [five]}\n");
}

}  // namespace

TEST(Commands, ABadPlanIsTwoWithAllItsErrorsAndTouchesNothing) {
  Program program;
  auto plan = program.plan("vault-test: 1\nname: bad\nlayers:\n  a: {provder: local, suites: [godo]}\n");
  auto ended = program.run({"run", plan});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(has(ended.err, plan + ":4:7: ")) << ended.err;
  EXPECT_TRUE(has(ended.err, "'provider'")) << ended.err;
  EXPECT_TRUE(has(ended.err, "no suite 'godo'")) << ended.err;
  EXPECT_TRUE(vt::test::shell("test ! -e '" + program.state() + "'") == 0) << "the state folder was made";
}

TEST(Commands, UsageErrorsNameTheNearestWord) {
  Program program;
  auto ended = program.run({"rnu"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(has(ended.err, "did you mean 'run'")) << ended.err;
  EXPECT_EQ(program.run({"run"}).exit_code, 2);
  EXPECT_EQ(program.run({"run", "/nowhere.yaml"}).exit_code, 2);
  EXPECT_EQ(program.run({"status"}).exit_code, 2) << "no runs yet";
  EXPECT_EQ(program.run({"run", "--help"}).exit_code, 0);
}

TEST(Commands, EverySubcommandHasHelpWithExamples) {
  Program program;
  for (auto command : {"run", "plan", "check", "resume", "runs", "status", "report", "why", "logs", "resources", "reap", "release",
                       "checks", "completion"}) {
    auto ended = program.run({command, "--help"});
    EXPECT_EQ(ended.exit_code, 0) << command;
    EXPECT_TRUE(has(ended.out, "Examples:\n  vault-test " + std::string(command))) << ended.out;
  }
}

TEST(Commands, PlanSpendsNothingAndSaysWhatIsMissing) {
  Program program;
  auto ended = program.run({"plan", program.plan("vault-test: 1\nname: p\nlayers:\n  here: {provider: local, suites: [five]}\n  there: "
                                                 "{provider: runpod, gpu: NVIDIA GeForce RTX 5090, suites: [good]}\n")});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(has(ended.out, "missing to run: RUNPOD_API_KEY is not set (layer there)")) << ended.out;
  EXPECT_TRUE(vt::test::shell("test ! -e '" + program.state() + "/results.db'") == 0);
  auto machine = program.run({"plan", here_plan(program), "--json"});
  auto parsed = json::parse(machine.out);
  EXPECT_EQ(parsed["layers"][0]["checks"].size(), 5U);
}

TEST(Commands, SelectorsNarrowTheRun) {
  Program program;
  auto ended = program.run({"run", here_plan(program), "--check", "t.p*"});
  EXPECT_EQ(ended.exit_code, 0) << ended.out;
  EXPECT_EQ(program.run({"run", here_plan(program), "--layer", "hree"}).exit_code, 2);
  auto nearest = program.run({"run", here_plan(program), "--suite", "gud"});
  EXPECT_EQ(nearest.exit_code, 2) << nearest.err;
}

TEST(Commands, CheckNeedsNoPlan) {
  Program program;
  auto ended = program.run({"check", "local", "--suite", "good"});
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_EQ(program.run({"check", "cube"}).exit_code, 2);
  auto injected = program.run({"check", "-oProxyCommand=x@host"});
  EXPECT_EQ(injected.exit_code, 2) << injected.out << injected.err;
}

TEST(Commands, JsonEventsAreCompleteAndInOrder) {
  Program program;
  auto ended = program.run({"run", here_plan(program), "--json"});
  std::istringstream lines(ended.out);
  long sequence = 0;
  std::string last;
  int judged = 0;
  for (std::string line; std::getline(lines, line);) {
    auto event = json::parse(line);
    EXPECT_EQ(event["seq"], ++sequence);
    last = event["event"];
    judged += last == "check-judged";
  }
  EXPECT_EQ(judged, 5);
  EXPECT_EQ(last, "run-ended");
}

TEST(Commands, ReportsOfAStoredRun) {
  Program program;
  program.run({"run", here_plan(program), "-q"});
  auto status = program.run({"status"});
  EXPECT_EQ(status.exit_code, 1);
  EXPECT_TRUE(has(status.out, "FAIL t.fail")) << status.out;
  EXPECT_EQ(json::parse(program.run({"report", "--format", "json"}).out)["outcome"]["exit_code"], 1);
  EXPECT_TRUE(has(program.run({"report", "--format", "junit"}).out, "<testsuite"));
  EXPECT_TRUE(has(program.run({"report", "--format", "markdown"}).out, "t.fail"));
  auto why = program.run({"why", "t.fail"});
  EXPECT_TRUE(has(why.out, "measured 3")) << why.out;
  EXPECT_TRUE(has(why.out, "A failure must be seen")) << why.out;
  EXPECT_EQ(program.run({"why", "t.fial"}).exit_code, 2);
  auto logs = program.run({"logs", "last", "here", "t.fail"});
  EXPECT_TRUE(has(logs.out, "told")) << logs.out;
  EXPECT_EQ(json::parse(program.run({"runs", "--json"}).out).size(), 1U);
}

TEST(Commands, CompletionForThreeShells) {
  Program program;
  for (auto shell : {"bash", "zsh", "fish"}) EXPECT_TRUE(has(program.run({"completion", shell}).out, "resources")) << shell;
  vt::test::write_file(program.path("c.bash"), program.run({"completion", "bash"}).out);
  EXPECT_EQ(vt::test::shell("bash -n '" + program.path("c.bash") + "'"), 0);
}

class Pod : public ::testing::Test {
 protected:
  void SetUp() override {
    plan = program.plan("vault-test: 1\nname: pods\nlayers:\n  pod: {provider: container, suites: [good]}\n");
    first = program.run({"run", plan, "--keep"});
    if (has(first.out, "blocked")) GTEST_SKIP() << "no pod can be made here: " << first.out;
  }
  void TearDown() override {
    auto left = json::parse(program.run({"resources", "--json"}).out);
    for (auto& r : left) program.run({"release", r["name"]});
  }
  Program program;
  std::string plan;
  vt::test::Ended first;
};

TEST_F(Pod, KeptUsedAgainAndReleased) {
  ASSERT_EQ(first.exit_code, 0) << first.out << first.err;
  auto open = program.run({"resources", "--json"});
  EXPECT_EQ(open.exit_code, 5);
  auto listed = json::parse(open.out);
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0]["state"], "ready");
  auto again = program.run({"run", plan, "--layer", "pod", "--on", "last/pod", "--check", "t.pass"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_TRUE(has(again.err, "notice: 1 thing")) << again.err;
  EXPECT_EQ(json::parse(program.run({"resources", "--json"}).out).size(), 1U) << "--on made or gave back a host";
  EXPECT_EQ(program.run({"reap"}).exit_code, 5) << "kept until its lease ends";
  EXPECT_EQ(program.run({"release", listed[0]["name"]}).exit_code, 0);
  EXPECT_EQ(program.run({"resources"}).exit_code, 0);
}
