// The whole program against a real SSH server: what a host or the connection can do to it.
#include <signal.h>

#include <chrono>
#include <thread>

#include "ssh_host.hpp"

using namespace vt::test;
using namespace std::chrono_literals;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

class Box : public SshHost {};

TEST_F(Box, RunsAndTheSecondTimeUploadsNothing) {
  auto first = program.run({"run", box_plan("good")});
  ASSERT_EQ(first.exit_code, 0) << first.out << first.err;
  EXPECT_TRUE(has(first.err, "uploaded")) << first.err;
  auto bytes = proxy->to_server();
  auto second = program.run({"run", box_plan("good")});
  EXPECT_TRUE(has(second.err, "cached")) << second.err;
  EXPECT_LT(proxy->to_server() - bytes, 200'000);
}

TEST_F(Box, AnotherHostKeyStopsBeforeAnythingIsSent) {
  std::string other = "SHA256:" + std::string(43, 'A');
  auto plan = program.plan("vault-test: 1\nname: box\nlayers:\n  box: {provider: bare-metal, suites: [good], hosts: [" +
                           host(sshd->port(), other) + "]}\n");
  auto ended = program.run({"run", plan});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_TRUE(has(ended.out, "host key: ")) << ended.out;
  EXPECT_FALSE(has(sshd->log(), "Accepted")) << sshd->log();
}

TEST_F(Box, ADeadHostIsInfrastructureAndEveryCheckIsAccountedFor) {
  proxy->refuse(true);
  auto ended = program.run({"run", box_plan("five")});
  EXPECT_EQ(ended.exit_code, 3) << ended.out;
  auto judged = report();
  EXPECT_TRUE(has(ended.out, "BLOCKED")) << ended.out;
  EXPECT_TRUE(has(ended.out, "5 checks")) << ended.out;
}

TEST_F(Box, ACutDuringALongCheckLosesNothing) {
  write_file("/tmp/vt-scenario-long", "");
  program.start({"run", box_with("t.long")});
  ASSERT_TRUE(program.saw("box: execute")) << program.err();
  std::this_thread::sleep_for(1s);
  proxy->cut();
  auto ended = program.wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_GE(proxy->connections(), 2);
  auto lines = read_file("/tmp/vt-scenario-long");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1) << "the side effect happened once";
}

TEST_F(Box, AFrozenHostIsNoticedAndGivenUp) {
  program.start({"run", box_plan("good")});
  ASSERT_TRUE(program.saw("box: execute")) << program.err();
  proxy->freeze(true);
  for (auto pid : sshd->sessions()) kill(pid, SIGSTOP);
  auto ended = program.wait(200);
  for (auto pid : sshd->sessions()) kill(pid, SIGCONT);
  EXPECT_TRUE(ended.exit_code == 3 || ended.exit_code == 0) << ended.out << ended.err;  // 0: it was faster than we
  EXPECT_FALSE(ended.exit_code == 137) << "it hung";
}

TEST_F(Box, AKilledAgentCostsOneReconnect) {
  program.start({"run", box_plan("bad", "    skip: [t.fail]\n")});
  ASSERT_TRUE(program.saw("box: execute")) << program.err();
  shell("pkill -KILL -f 'vault-test-agent.*--stdio' || pkill -KILL -f 'vault-test/.*--stdio'");
  auto ended = program.wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
}

TEST_F(Box, TheHostHasRoomForOneRunOnly) {
  auto pid = program.start({"run", box_with("t.slow")});
  ASSERT_TRUE(program.saw("box: execute")) << program.err();
  Program other;
  auto second = other.run({"run", box_with("t.pass")});
  EXPECT_EQ(second.exit_code, 3) << second.out;
  EXPECT_TRUE(has(second.out, "claimed by")) << second.out;
  kill(pid, SIGINT);
  EXPECT_EQ(program.wait().exit_code, 130);
}

TEST_F(Box, InterruptedThenResumedRepeatsOnlyWhatHasNoResult) {
  write_file("/tmp/vt-scenario-long", "");
  auto pid = program.start({"run", box_with("t.pass, t.long, t.warn")});
  ASSERT_TRUE(program.saw("box: execute")) << program.err();
  std::this_thread::sleep_for(500ms);
  kill(-pid, SIGINT);
  auto ended = program.wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.out << ended.err;
  auto resumed = program.run({"resume", "last"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
  auto logs = program.run({"logs", "last", "box", "t.pass"});
  EXPECT_TRUE(has(logs.out, "attempt 1")) << logs.out;
  EXPECT_FALSE(has(logs.out, "attempt 2")) << "t.pass had its result and was repeated";
}

TEST_F(Box, KilledDuringALongCheckIsResumedOnTheSameJob) {
  write_file("/tmp/vt-scenario-long", "");
  auto pid = program.start({"run", box_with("t.pass, t.long")});
  ASSERT_TRUE(program.saw("box: execute")) << program.err();
  std::this_thread::sleep_for(1s);
  kill(pid, SIGKILL);
  EXPECT_EQ(program.wait().exit_code, 137);
  auto resumed = program.run({"resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
  auto lines = read_file("/tmp/vt-scenario-long");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1) << "the job went on and was found again";
}
