#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/agent/agent_client.hpp"

using namespace vt::test;
using vt::protocol::kKeep;

namespace {

/// Peak resident memory of a process in KiB.
long peak_kib(pid_t pid) {
  auto status = slurp("/proc/" + std::to_string(pid) + "/status");
  auto at = status.find("VmHWM:");
  return at == std::string::npos ? 0 : std::atol(status.c_str() + at + 6);
}

pid_t parent_of(pid_t pid) {
  auto stat = slurp("/proc/" + std::to_string(pid) + "/stat");
  int parent = 0;
  auto at = stat.rfind(')');
  return at != std::string::npos && sscanf(stat.c_str() + at, ") %*c %d", &parent) == 1 ? parent : 0;
}

/// Runs the job and gives the growth of its supervisor's and the session's memory as well.
vt::protocol::JobResult run_watched(Agent& agent, const json& job, long& growth) {
  agent.send(job);
  auto started = agent.until("started", job["job"]);
  auto supervisor = parent_of(started["pid"]);
  auto before = peak_kib(supervisor) + peak_kib(agent.pid());
  auto peak = before;
  json result;
  for (auto end = now_ms() + 60'000; result.is_null() && now_ms() < end;) {
    result = agent.until("result", job["job"], 20);
    peak = std::max(peak, peak_kib(supervisor) + peak_kib(agent.pid()));
  }
  EXPECT_GT(before, 0);
  growth = peak - before;
  return vt::protocol::decode_result(result).value_or(vt::protocol::JobResult{});
}

}  // namespace

TEST(Flood, AGigabyteKeepsHeadTailAndCountsAndNoMemory) {
  Folder folder;
  Agent agent(folder);
  auto job = script("c", "printf 'first\\n'; yes | head -c 1073741824; printf 'last'");
  job["deadline_ms"] = 60'000;
  long growth = 0;
  auto result = run_watched(agent, job, growth);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.bytes, 1073741824U + 6 + 4);
  EXPECT_EQ(result.out.lines, 1073741824U / 2 + 2);
  EXPECT_EQ(result.out.head.substr(0, 8), "first\ny\n");
  EXPECT_EQ(result.out.head.size(), kKeep);
  EXPECT_EQ(result.out.tail.size(), kKeep);
  EXPECT_EQ(result.out.tail.substr(kKeep - 6), "y\nlast");
  EXPECT_LT(growth, 8 * 1024) << "KiB";
}

TEST(Flood, TheDeadlineFiresDuringOne) {
  Folder folder;
  Agent agent(folder);
  auto job = command("c", {"yes"});
  job["deadline_ms"] = 500;
  auto result = agent.run(job);
  EXPECT_TRUE(result.timed_out);
  EXPECT_LT(result.took_ms, 1500);
  EXPECT_GT(result.out.bytes, 2 * kKeep);
}

TEST(Flood, OneEndlessLineAndNulsAndBothStreams) {
  Folder folder;
  Agent agent(folder);
  auto job = script("c", "head -c 50000000 /dev/zero; head -c 50000000 /dev/zero | tr '\\0' '\\377' >&2");
  long growth = 0;
  auto result = run_watched(agent, job, growth);
  EXPECT_EQ(result.out.bytes, 50'000'000U);
  EXPECT_EQ(result.err.bytes, 50'000'000U);
  EXPECT_EQ(result.out.lines, 1U);
  EXPECT_FALSE(result.out.head.empty());
  EXPECT_EQ(result.out.head[0], '\0');
  EXPECT_EQ(result.err.head.substr(0, 3), "\xEF\xBF\xBD");
  EXPECT_LT(growth, (sanitized() ? 64 : 16) * 1024) << "KiB";
}

TEST(Flood, InvalidUtf8BecomesReplacementCharacters) {
  Folder folder;
  Agent agent(folder);
  EXPECT_EQ(agent.run(script("c", "printf 'a\\377b\\303'")).out.head,
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
}

TEST(Flood, ACharacterAcrossHeadAndTailStaysWhole) {
  Folder folder;
  Agent agent(folder);
  auto result = agent.run(script("c", "head -c 65535 /dev/zero | tr '\\0' x; printf 'ü and more'"));
  EXPECT_EQ(result.out.head + result.out.tail, std::string(65535, 'x') + "ü and more");
}

TEST(Flood, UpToHeadAndTailNothingIsMissing) {
  Folder folder;
  Agent agent(folder);
  auto result = agent.run(script("c", "seq 1 20000"));
  std::string all;
  for (int i = 1; i <= 20000; i++) all += std::to_string(i) + "\n";
  EXPECT_EQ(result.out.head + result.out.tail, all);
}

TEST(Flood, ValuesThatDoNotFitAFrameAreAnError) {
  Folder folder;
  Agent agent(folder);
  auto result = agent.run(check("c", "selftest.values", {{"text", std::string(vt::protocol::kMaxFrame - 200, 'v')}}));
  EXPECT_EQ(result.error, "the check's values are too large for a frame");
  EXPECT_EQ(result.values, "{}");
}
