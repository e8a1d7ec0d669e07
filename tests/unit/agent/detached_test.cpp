#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/unit/agent/agent_client.hpp"

using namespace vt::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kJob = "run/layer/check#1";

json detached(json job, int deadline_ms = 30'000) {
  job["detach"] = true, job["deadline_ms"] = deadline_ms;
  return job;
}

json nap(const Folder& folder, double seconds) {
  return detached(check(kJob, "sleep", {{"seconds", seconds}, {"file", folder / "effects"}}));
}

void attach(Agent& agent, std::int64_t from) { agent.send({{"t", "attach"}, {"job", kJob}, {"from", from}}); }

std::vector<std::int64_t> numbers(const Agent& agent) {
  std::vector<std::int64_t> out;
  for (auto& frame : agent.seen())
    if (frame.contains("seq")) out.push_back(frame["seq"]);
  return out;
}

std::vector<std::int64_t> count_from(std::int64_t first, std::size_t n) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < n; i++) out.push_back(first + static_cast<std::int64_t>(i));
  return out;
}

std::string job_folder(const Folder& folder) { return folder / "vault-test-agent/jobs/run%2Flayer%2Fcheck%231"; }

pid_t supervisor_of(const Folder& folder) { return json::parse(slurp(job_folder(folder) + "/meta"))["pid"]; }

long lines_in(const std::string& path) {
  auto text = slurp(path);
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

TEST(Detached, SurvivesTheSessionAndIsAttachedWithoutLossOrRepetition) {
  Folder folder;
  pid_t worker = 0;
  std::int64_t last = 0;
  {
    Agent agent(folder);
    agent.send(nap(folder, 1));
    worker = agent.until("started")["pid"];
    last = agent.until("progress")["seq"];
    agent.kill9();
  }
  Agent again(folder);
  attach(again, last);
  auto result = again.result_of(kJob);
  EXPECT_EQ(result.pid, worker);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(json::parse(result.values)["pid"], worker);
  EXPECT_EQ(lines_in(folder / "effects"), 1) << "the side effect happened once";
  auto seen = numbers(again);
  EXPECT_EQ(seen, count_from(last + 1, seen.size()));
  EXPECT_GE(seen.size(), 8U);
}

TEST(Detached, AttachFromTheStartRepeatsEverything) {
  Folder folder;
  Agent first(folder);
  auto result = first.run(nap(folder, 0.3));
  Agent second(folder);
  attach(second, 0);
  EXPECT_EQ(second.result_of(kJob).pid, result.pid);
  EXPECT_EQ(numbers(second), numbers(first));
  attach(second, 1000);
  EXPECT_EQ(second.result_of(kJob).pid, result.pid) << "the result comes in any case";
}

TEST(Detached, RunTwiceStartsOnce) {
  Folder folder;
  Agent first(folder), second(folder);
  first.send(nap(folder, 0.5));
  second.send(nap(folder, 0.5));
  auto one = first.result_of(kJob), other = second.result_of(kJob);
  EXPECT_EQ(one.pid, other.pid);
  EXPECT_EQ(first.run(nap(folder, 0.5)).pid, one.pid) << "also when it has ended";
  EXPECT_EQ(lines_in(folder / "effects"), 1);
  EXPECT_EQ(numbers(second), count_from(1, numbers(second).size()));
}

TEST(Detached, AnUnknownJobIsAnError) {
  Folder folder;
  Agent agent(folder);
  attach(agent, 0);
  auto error = agent.until("error");
  EXPECT_EQ(error["what"], "no such job");
  EXPECT_EQ(error["job"], kJob);
}

TEST(Detached, ASupervisorThatWasKilledIsNoticed) {
  Folder folder;
  Agent agent(folder);
  agent.send(nap(folder, 30));
  pid_t worker = agent.until("started")["pid"];
  kill(supervisor_of(folder), SIGKILL);
  auto result = agent.result_of(kJob);
  EXPECT_EQ(result.error, "the check's supervisor died");
  EXPECT_TRUE(eventually([&] { return !exists(worker); }));
  Agent again(folder);
  attach(again, 0);
  EXPECT_EQ(again.result_of(kJob).error, "the check's supervisor died") << "every time it is asked for";
  auto seen = numbers(again);
  EXPECT_EQ(seen, count_from(1, seen.size()));
}

TEST(Detached, WhatADeadSupervisorsJobStartedIsKilled) {
  Folder folder;
  Agent agent(folder);
  agent.send(detached(script(kJob, "sleep 60 & echo $! >" + folder.path() + "/pid; wait")));
  agent.until("started");
  ASSERT_TRUE(eventually([&] { return lines_in(folder / "pid") == 1; }));
  auto child = std::atoi(slurp(folder / "pid").c_str());
  kill(supervisor_of(folder), SIGKILL);
  agent.result_of(kJob);
  EXPECT_TRUE(eventually([&] { return !exists(child); }));
}

TEST(Detached, ATornLineOfADeadSupervisorIsIgnored) {
  Folder folder;
  Agent agent(folder);
  agent.send(nap(folder, 30));
  agent.until("started");
  kill(supervisor_of(folder), SIGKILL);
  agent.result_of(kJob);
  std::ofstream(job_folder(folder) + "/journal", std::ios::app) << R"({"t":"result","jo)";
  Agent again(folder);
  attach(again, 0);
  EXPECT_EQ(again.result_of(kJob).error, "the check's supervisor died");
}

TEST(Detached, AnotherBootMeansItDied) {
  Folder folder;
  Agent agent(folder);
  agent.run(nap(folder, 0.1));
  auto meta = json::parse(slurp(job_folder(folder) + "/meta"));
  meta["boot"] = "another";
  std::ofstream(job_folder(folder) + "/meta") << meta;
  fs::resize_file(job_folder(folder) + "/journal", 0);
  attach(agent, 0);
  EXPECT_EQ(agent.result_of(kJob).error, "the check's supervisor died: the host was restarted");
}

TEST(Detached, CancelReachesItFromAnotherSession) {
  Folder folder;
  {
    Agent agent(folder);
    agent.send(nap(folder, 30));
    agent.until("started");
  }
  Agent again(folder);
  again.send({{"t", "cancel"}, {"job", kJob}});
  attach(again, 0);
  EXPECT_EQ(again.result_of(kJob).error, "cancelled");
}

TEST(Detached, TheDeadlineHoldsWithoutASession) {
  Folder folder;
  {
    Agent agent(folder);
    agent.send(detached(command(kJob, {"sleep", "60"}), 300));
    agent.until("started");
    agent.kill9();
  }
  ASSERT_TRUE(eventually([&] { return slurp(job_folder(folder) + "/journal").find("\"result\"") != std::string::npos; }));
  Agent again(folder);
  attach(again, 0);
  EXPECT_TRUE(again.result_of(kJob).timed_out);
}

TEST(Detached, ForgetRemovesAnEndedJobOnly) {
  Folder folder;
  Agent agent(folder);
  agent.send(nap(folder, 0.4));
  agent.until("started");
  agent.send({{"t", "forget"}, {"job", kJob}});
  EXPECT_EQ(agent.until("error")["what"], "the job still runs");
  agent.result_of(kJob);
  agent.send({{"t", "forget"}, {"job", kJob}});
  EXPECT_TRUE(eventually([&] { return !fs::exists(job_folder(folder)); }));
  attach(agent, 0);
  EXPECT_EQ(agent.until("error")["what"], "no such job");
}

TEST(Detached, OldJournalsAreRemovedAtTheStart) {
  Folder folder;
  { Agent(folder).run(nap(folder, 0.1)); }
  auto age = [&](int days) {
    timespec times[2] = {{time(nullptr) - days * 86400, 0}, {time(nullptr) - days * 86400, 0}};
    utimensat(AT_FDCWD, (job_folder(folder) + "/journal").c_str(), times, 0);
  };
  age(6);
  { Agent agent(folder); }
  EXPECT_TRUE(fs::exists(job_folder(folder)));
  age(8);
  { Agent agent(folder); }
  EXPECT_FALSE(fs::exists(job_folder(folder)));
}

TEST(Detached, FilesAreForTheirOwnerOnlyAndHoldNoSecret) {
  Folder folder;
  Agent agent(folder);
  auto job = detached(command(kJob, {"true"}));
  job["environment"] = {{"KEY", "s3cret-canary"}};
  agent.run(job);
  for (auto& entry : fs::directory_iterator(job_folder(folder))) {
    EXPECT_EQ(static_cast<int>(entry.status().permissions()) & 077, 0) << entry.path();
    EXPECT_TRUE(!entry.is_regular_file() || slurp(entry.path()).find("s3cret-canary") == std::string::npos) << entry.path();
  }
}

TEST(Detached, AFullDiskEndsTheJobWithAResult) {
  Folder folder;
  fs::create_directory(folder / "vault-test-agent");
  if (mount("tmpfs", (folder / "vault-test-agent").c_str(), "tmpfs", 0, "size=128k,mode=0700") != 0)
    GTEST_SKIP() << "cannot mount a tmpfs here";
  {
    Agent agent(folder);
    agent.send(nap(folder, 20));
    agent.until("progress");
    std::ofstream filler(folder / "vault-test-agent/filler");
    while (filler << std::string(4096, 'x') << std::flush) {}
    auto result = agent.result_of(kJob, 20'000);
    EXPECT_EQ(result.error, "disk full: journal");
    EXPECT_FALSE(exists(static_cast<pid_t>(result.pid)));
    auto seen = numbers(agent);
    EXPECT_EQ(seen, count_from(1, seen.size()));
    auto next = nap(folder, 0.1);
    next["job"] = "other";
    EXPECT_EQ(agent.run(next).error.find("disk full: journal"), 0U);
  }
  umount2((folder / "vault-test-agent").c_str(), MNT_DETACH);
}
