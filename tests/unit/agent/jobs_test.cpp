#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/agent/agent_client.hpp"

using namespace vt::test;

namespace {

pid_t pid_in(const std::string& file) {
  EXPECT_TRUE(eventually([&] { return slurp(file).find('\n') != std::string::npos; }));
  return std::atoi(slurp(file).c_str());
}

/// A program that anybody may run, in a folder anybody may enter.
void install(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  chmod(path.c_str(), 0755);
}

}  // namespace

TEST(Jobs, OutputAndStatusOfACommand) {
  Folder folder;
  Agent agent(folder);
  agent.send(command("c", {"sh", "-c", "echo out; echo err >&2; exit 7"}));
  auto pid = agent.until("started", "c")["pid"].get<pid_t>();
  auto result = agent.result_of("c");
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.out.head, "out\n");
  EXPECT_EQ(result.err.head, "err\n");
  EXPECT_EQ(result.out.lines, 1U);
  EXPECT_EQ(result.pid, pid);
  EXPECT_EQ(result.error, "");
  EXPECT_FALSE(result.timed_out);
}

TEST(Jobs, ArgumentsReachTheProgramAsTheyAre) {
  Folder folder;
  Agent agent(folder);
  EXPECT_EQ(agent.run(command("c", {"printf", "[%s]", "a b", "$HOME;`id`", ""})).out.head, "[a b][$HOME;`id`][]");
}

TEST(Jobs, ProgramsThatCannotRunSayWhy) {
  Folder folder;
  Agent agent(folder);
  EXPECT_EQ(agent.run(command("a", {"no-such-thing"})).error, "no such program: no-such-thing");
  EXPECT_EQ(agent.run(command("b", {"/no/such"})).error, "no such program: /no/such");
  EXPECT_EQ(agent.run(command("c", {"/etc/passwd"})).error.find("cannot run /etc/passwd"), 0U);
  EXPECT_EQ(agent.run(check("d", "no.such")).error, "this agent has no check 'no.such'");
  auto job = script("e", "true");
  job["interpreter"] = "/no/shell";
  EXPECT_EQ(agent.run(job).error, "no such program: /no/shell");
}

TEST(Jobs, ACrashIsReportedWithItsSignal) {
  Folder folder;
  Agent agent(folder);
  auto result = agent.run(command("c", {"sh", "-c", "kill -SEGV $$"}));
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_EQ(result.exit_code, std::nullopt);
}

TEST(Jobs, ACrashedCheckHasNoValues) {
  Folder folder;
  Agent agent(folder);
  agent.send(check("c", "sleep", {{"seconds", 5}}));
  kill(agent.until("started", "c")["pid"].get<pid_t>(), SIGSEGV);
  auto result = agent.result_of("c");
  EXPECT_TRUE(result.signal == SIGSEGV || !result.error.empty() || result.exit_code != 0);  // a sanitizer turns the signal into a status
  EXPECT_EQ(result.values, "{}");
}

TEST(Jobs, TheEnvironmentIsCleanAndHoldsWhatWasGiven) {
  Folder folder;
  Agent agent(folder, {{{"LEAKED", "1"}, {"LD_LIBRARY_PATH", "/x"}, {"TMPDIR", "/var/tmp"}}, 0});
  auto job = command("c", {"env"});
  job["environment"] = {{"API_KEY", "s3cret=x"}, {"LANG", "C"}};
  auto text = agent.run(job).out.head;
  EXPECT_NE(text.find("API_KEY=s3cret=x\n"), std::string::npos);
  EXPECT_NE(text.find("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"), std::string::npos);
  EXPECT_NE(text.find("LANG=C\n"), std::string::npos);
  EXPECT_NE(text.find("LC_ALL=C.UTF-8\n"), std::string::npos);
  EXPECT_NE(text.find("TMPDIR=/var/tmp\n"), std::string::npos);
  EXPECT_EQ(text.find("LEAKED"), std::string::npos);
  EXPECT_EQ(text.find("LD_"), std::string::npos);
  EXPECT_EQ(text.find("XDG_"), std::string::npos);
}

TEST(Jobs, NothingIsInheritedButTheThreeStreams) {
  Folder folder;
  Agent agent(folder);
  agent.send({{"t", "claim"}, {"token", "r/l"}});
  EXPECT_EQ(agent.run(command("c", {"ls", "/proc/self/fd"})).out.head, "0\n1\n2\n3\n") << "3 is ls's own";
  EXPECT_EQ(agent.run(script("e", "umask; ulimit -c; pwd")).out.head, "0077\n0\n/\n");
  EXPECT_EQ(agent.run(command("d", {"cat"})).out.bytes, 0U) << "a command's standard input is empty";
}

TEST(Jobs, AScriptIsInNoArgv) {
  Folder folder;
  Agent agent(folder);
  auto result = agent.run(script("c", "tr '\\0' ' ' </proc/$$/cmdline; exit 5 # hidden-word\n"));
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(result.out.head, "/bin/sh ");
}

TEST(Jobs, TheDeadlineEndsAProgram) {
  Folder folder;
  Agent agent(folder);
  auto job = command("c", {"sleep", "60"});
  job["deadline_ms"] = 200;
  auto result = agent.run(job);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_GE(result.took_ms, 200);
  EXPECT_LT(result.took_ms, 1200);
}

TEST(Jobs, TheDeadlineKillsAProgramThatIgnoresSigterm) {
  Folder folder;
  Agent agent(folder);
  auto job = script("c", "trap '' TERM; echo $$ >" + folder.path() + "/pid; while :; do sleep 0.1; done");
  job["deadline_ms"] = 200;
  auto result = agent.run(job);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_GE(result.took_ms, 2200);
  EXPECT_LT(result.took_ms, 4000);
}

TEST(Jobs, TheDeadlineFindsAProgramThatLeftItsSession) {
  Folder folder;
  Agent agent(folder);
  auto job = script("c", "setsid sh -c 'trap \"\" TERM; echo $$ >" + folder.path() + "/pid; sleep 60 & wait; sleep 60' & sleep 60");
  job["deadline_ms"] = 400;
  EXPECT_TRUE(agent.run(job).timed_out);
  EXPECT_FALSE(exists(pid_in(folder / "pid")));
}

TEST(Jobs, NothingIsLeftWhenAProgramEnds) {
  Folder folder;
  Agent agent(folder);
  auto result = agent.run(script("c", "setsid sh -c 'echo $$ >" + folder.path() + "/pid; exec sleep 60' & sleep 0.3; echo done"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_LT(result.took_ms, 3000);
  EXPECT_FALSE(exists(pid_in(folder / "pid")));
}

TEST(Jobs, CancelEndsOne) {
  Folder folder;
  Agent agent(folder);
  agent.send(command("c", {"sleep", "60"}));
  agent.until("started", "c");
  agent.send({{"t", "cancel"}, {"job", "c"}});
  auto result = agent.result_of("c");
  EXPECT_EQ(result.error, "cancelled");
  EXPECT_EQ(result.signal, SIGTERM);
  agent.send({{"t", "cancel"}, {"job", "other"}});
  EXPECT_EQ(agent.next()["what"], "no such job");
}

TEST(Jobs, SeveralRunAtOnceAndOneIdOnce) {
  Folder folder;
  Agent agent(folder);
  agent.send(command("slow", {"sleep", "60"}));
  EXPECT_EQ(agent.run(command("fast", {"true"})).exit_code, 0);
  agent.send(command("slow", {"true"}));
  EXPECT_EQ(agent.until("error")["what"], "the job runs already");
}

TEST(Jobs, AttachedJobsDieWithTheSession) {
  Folder folder;
  pid_t worker = 0, escaped = 0;
  {
    Agent agent(folder);
    agent.send(script("c", "setsid sh -c 'echo $$ >" + folder.path() + "/pid; exec sleep 60' & sleep 60"));
    worker = agent.until("started", "c")["pid"];
    escaped = pid_in(folder / "pid");
    agent.kill9();
  }
  EXPECT_TRUE(eventually([&] { return !exists(worker) && !exists(escaped); }));
}

TEST(Jobs, AttachedJobsDieAtTheEndOfInput) {
  Folder folder;
  Agent agent(folder);
  agent.send(command("c", {"sleep", "60"}));
  pid_t worker = agent.until("started", "c")["pid"];
  agent.close_input();
  EXPECT_EQ(agent.exit_status(), 0);
  EXPECT_FALSE(exists(worker));
}

TEST(Jobs, AnAttachedJobWhoseSupervisorDiesHasAResult) {
  Folder folder;
  Agent agent(folder);
  agent.send(command("c", {"sleep", "60"}));
  pid_t worker = agent.until("started", "c")["pid"];
  auto stat = slurp("/proc/" + std::to_string(worker) + "/stat");
  int supervisor = 0;
  ASSERT_EQ(sscanf(stat.c_str() + stat.rfind(')'), ") %*c %d", &supervisor), 1);
  kill(supervisor, SIGKILL);
  EXPECT_EQ(agent.result_of("c").error, "the check's supervisor died");
  EXPECT_TRUE(eventually([&] { return !exists(worker); }));
}

TEST(Groups, RanksTalkThroughTheOrchestrator) {
  Folder folder;
  Agent agent(folder);
  for (int rank : {0, 1}) {
    auto job = check("rank" + std::to_string(rank), "selftest.group", {{"data", rank ? "b25l" : "emVybw=="}});
    job["group"] = "g", job["rank"] = rank, job["world"] = 2;
    agent.send(job);
  }
  std::map<std::string, std::string> values;
  while (values.size() < 2) {
    auto frame = agent.until([](const json& f) { return f["t"] == "publish" || f["t"] == "result"; });
    ASSERT_FALSE(frame.is_null());
    if (frame["t"] == "publish") agent.send({{"t", "deliver"}, {"group", frame["group"]}, {"key", frame["key"]}, {"data", frame["data"]}});
    else values[frame["job"]] = frame["values"].dump();
  }
  EXPECT_EQ(values["rank0"], R"({"rank1":"b25l"})");
  EXPECT_EQ(values["rank1"], R"({"rank0":"emVybw=="})");
  EXPECT_TRUE(std::any_of(agent.seen().begin(), agent.seen().end(), [](auto& f) { return f["t"] == "await" && f["key"] == "rank1"; }));
}

TEST(Groups, AreCancelledAsOne) {
  Folder folder;
  Agent agent(folder);
  for (std::string id : {"a", "b"}) {
    auto job = check(id, "selftest.group");
    job["group"] = "g", job["world"] = 2, job["detach"] = id == "b";
    agent.send(job);
    agent.until("await", id);
  }
  agent.send({{"t", "cancel"}, {"group", "g"}});
  std::map<std::string, std::string> errors;
  while (errors.size() < 2) {
    auto frame = agent.until("result");
    ASSERT_FALSE(frame.is_null());
    errors[frame["job"]] = frame["error"];
  }
  EXPECT_EQ(errors, (std::map<std::string, std::string>{{"a", "cancelled"}, {"b", "cancelled"}}));
}

TEST(Root, WithoutTheRightSudoIsAskedAndItsRefusalNamed) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  Folder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  install(folder / "sudo", "#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n");
  Agent agent(folder, {{{"HOME", "/nonexistent"}}, 65534});
  auto job = command("c", {"/bin/true"});
  job["root"] = true, job["environment"] = {{"PATH", folder.path()}};
  EXPECT_EQ(agent.run(job).error, "needs root: sudo -n refused");
  job["job"] = "d", job["environment"] = {{"PATH", "/nowhere"}};
  EXPECT_EQ(agent.run(job).error, "needs root: there is no sudo");
}

TEST(Root, SudoGetsTheProgramAndTheNamesOfTheVariables) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  Folder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  install(folder / "sudo", "#!/bin/sh\nprintf '%s ' \"$@\"\n");
  Agent agent(folder, {{{"HOME", "/nonexistent"}}, 65534});
  auto job = command("c", {"/bin/echo", "hello"});
  job["root"] = true, job["environment"] = {{"PATH", folder.path()}, {"KEY", "s3cret"}};
  EXPECT_EQ(agent.run(job).out.head, "-n --preserve-env=KEY,PATH -- /bin/echo hello ");
}

TEST(Root, IsNotAskedForWhereItIsThere) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  Folder folder;
  Agent agent(folder);
  auto job = command("c", {"id", "-u"});
  job["root"] = true;
  EXPECT_EQ(agent.run(job).out.head, "0\n");
}
