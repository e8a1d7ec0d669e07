#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/unit/agent/agent_client.hpp"

using namespace vt::test;

namespace {
json claim(Agent& agent, const std::string& token, bool exclusive = true) {
  agent.send({{"t", "claim"}, {"token", token}, {"exclusive", exclusive}});
  return agent.until("claimed");
}
}  // namespace

TEST(Claim, OneSessionHasIt) {
  Folder folder;
  Agent first(folder), second(folder);
  EXPECT_EQ(claim(first, "run1/a")["ok"], true);
  auto answer = claim(second, "run2/b");
  EXPECT_EQ(answer["ok"], false);
  EXPECT_EQ(answer["holder"], "run1/a");
  first.send({{"t", "bye"}});
  EXPECT_EQ(first.exit_status(), 0);
  EXPECT_EQ(claim(second, "run2/b")["ok"], true);
}

TEST(Claim, OthersMayLookAtTheFile) {
  Folder folder;
  Agent agent(folder);
  claim(agent, "r/l");
  struct stat info {};
  ASSERT_EQ(stat((folder / "tmp/vault-test.claim").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0666U);
}

TEST(Claim, SharedOnesGoTogether) {
  Folder folder;
  Agent first(folder), second(folder), third(folder);
  EXPECT_EQ(claim(first, "run1/a", false)["ok"], true);
  EXPECT_EQ(claim(second, "run2/b", false)["ok"], true);
  EXPECT_EQ(claim(third, "run3/c", true)["ok"], false);
}

TEST(Claim, ADetachedJobKeepsItAndItsRunGetsItBack) {
  Folder folder;
  pid_t worker = 0;
  {
    Agent agent(folder);
    claim(agent, "run1/a");
    auto job = check("run1/a/c#1", "sleep", {{"seconds", 30}});
    job["detach"] = true, job["deadline_ms"] = 60'000;
    agent.send(job);
    worker = agent.until("started")["pid"];
    agent.kill9();
  }
  Agent stranger(folder), again(folder);
  EXPECT_EQ(claim(stranger, "run2/b")["holder"], "run1/a");
  EXPECT_EQ(claim(again, "run1/a")["ok"], true);
  again.send({{"t", "attach"}, {"job", "run1/a/c#1"}, {"from", 0}});
  again.send({{"t", "cancel"}, {"job", "run1/a/c#1"}});
  again.result_of("run1/a/c#1");
  EXPECT_FALSE(exists(worker));
  EXPECT_TRUE(again.next(300).is_null()) << "the session takes the lock over meanwhile";
  EXPECT_EQ(claim(stranger, "run2/b")["ok"], false);
}

TEST(Claim, ALinkIsNotFollowed) {
  Folder folder;
  std::filesystem::create_symlink(folder / "victim", folder / "tmp/vault-test.claim");
  Agent agent(folder);
  EXPECT_EQ(claim(agent, "r/l")["ok"], false);
  EXPECT_FALSE(std::filesystem::exists(folder / "victim"));
}

TEST(Claim, AnotherUsersFileInAStickyFolderCanBeLocked) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  Folder folder;
  std::filesystem::permissions(folder.path(), static_cast<std::filesystem::perms>(0755));
  std::filesystem::permissions(folder / "tmp", static_cast<std::filesystem::perms>(01777));
  Agent root(folder);
  EXPECT_EQ(claim(root, "run1/a")["ok"], true);
  Agent other(folder, {{{"HOME", "/nonexistent"}}, 65534});
  EXPECT_EQ(claim(other, "run2/b")["holder"], "run1/a");
  root.send({{"t", "bye"}});
  root.exit_status();
  EXPECT_EQ(claim(other, "run2/b")["ok"], true);
}
