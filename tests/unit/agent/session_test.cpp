#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/unit/agent/agent_client.hpp"

using namespace vt::test;

TEST(Session, GreetsWithWhatItIs) {
  Folder folder;
  Agent agent(folder);
  auto& hello = agent.hello();
  EXPECT_EQ(hello["protocol"], 1);
  EXPECT_EQ(hello["pid"], agent.pid());
  EXPECT_EQ(hello["uid"], geteuid());
  EXPECT_EQ(hello["dir"], folder / "vault-test-agent");
  EXPECT_EQ(hello["boot_id"].get<std::string>() + "\n", slurp("/proc/sys/kernel/random/boot_id"));
  EXPECT_GT(hello["build"].get<std::string>().size(), 40U);
  struct stat info {};
  ASSERT_EQ(stat((folder / "vault-test-agent").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
}

TEST(Session, AnotherProtocolIsRefused) {
  Folder folder;
  Agent agent(folder, {}, {"--stdio"});
  agent.send({{"t", "hello"}, {"protocol", 2}});
  EXPECT_EQ(agent.next()["t"], "error");
  EXPECT_EQ(agent.exit_status(), 2);
}

TEST(Session, HelloComesFirst) {
  Folder folder;
  Agent agent(folder, {}, {"--stdio"});
  agent.send({{"t", "probe"}});
  EXPECT_EQ(agent.next()["what"], "expected hello first");
  EXPECT_EQ(agent.exit_status(), 2);
}

TEST(Session, UnknownFramesAreAnsweredWithAnError) {
  Folder folder;
  Agent agent(folder);
  agent.send({{"t", "dance"}});
  EXPECT_EQ(agent.next()["what"], "unknown frame 'dance'");
  agent.write("no json\n");
  EXPECT_EQ(agent.next()["what"], "not a frame");
  agent.send({{"t", "run"}, {"job", "x"}});
  EXPECT_EQ(agent.next()["job"], "x");
  EXPECT_EQ(agent.run(command("after", {"true"})).exit_code, 0);
}

TEST(Session, AnEndlessLineEndsIt) {
  Folder folder;
  Agent agent(folder);
  agent.write(std::string(vt::protocol::kMaxFrame + 2, 'x'));
  EXPECT_EQ(agent.until("error")["what"], "a frame is longer than 1 MiB");
  EXPECT_EQ(agent.exit_status(), 2);
}

TEST(Session, BeatsWhenThereIsNothingElse) {
  Folder folder;
  Agent agent(folder);
  EXPECT_TRUE(agent.next(550).is_null());
  EXPECT_GE(agent.heartbeats(), 2);
  EXPECT_LE(agent.heartbeats(), 6);
}

TEST(Session, ByeEndsIt) {
  Folder folder;
  Agent agent(folder);
  agent.send({{"t", "bye"}});
  EXPECT_EQ(agent.exit_status(), 0);
}

TEST(Session, ProbesGiveFactsWithEvidence) {
  Folder folder;
  Agent agent(folder, {}, {"--stdio"});
  agent.send({{"t", "hello"}, {"protocol", 1}});
  agent.send({{"t", "probe"}});
  auto facts = agent.until("facts")["facts"];
  std::set<std::string> ids;
  for (auto& fact : facts) {
    ids.insert(fact["id"]);
    EXPECT_FALSE(fact["evidence"].get<std::string>().empty()) << fact;
    EXPECT_TRUE(fact["scope"] == "host" || fact["scope"] == "login") << fact;
  }
  EXPECT_GE(ids.size(), 25U);
  EXPECT_EQ(ids.size(), facts.size()) << "every fact once";
  EXPECT_TRUE(ids.contains("kernel.version") && ids.contains("tool.git"));
}

TEST(Session, ProbesThatAreLateAreUnknown) {
  Folder folder;
  Agent agent(folder);
  agent.send({{"t", "probe"}, {"deadline_ms", 0}});
  auto facts = agent.until("facts")["facts"];
  EXPECT_GE(facts.size(), 25U);
  int late = 0;
  for (auto& fact : facts) late += !fact.contains("value") && fact["evidence"] == "probe timed out";
  EXPECT_GT(late, 0);
}

TEST(Session, AStateFolderThatIsALinkIsNotUsed) {
  Folder folder;
  std::filesystem::create_directory(folder / "elsewhere");
  std::filesystem::create_symlink(folder / "elsewhere", folder / "vault-test-agent");
  Agent agent(folder, {{{"HOME", folder / "home"}}, 0});
  EXPECT_EQ(agent.hello()["dir"], folder / "home/.local/state/vault-test-agent");
}

TEST(Program, SaysItsVersion) {
  auto* out = popen((agent_path() + " --version").c_str(), "r");
  char line[256] = {};
  ASSERT_TRUE(fgets(line, sizeof line, out));
  EXPECT_EQ(pclose(out), 0);
  char version[32], build[64];
  int protocol = 0;
  ASSERT_EQ(sscanf(line, "vault-test-agent %31s %63[0-9a-f] protocol %d", version, build, &protocol), 3) << line;
  EXPECT_EQ(protocol, 1);
  EXPECT_EQ(WEXITSTATUS(std::system((agent_path() + " --nonsense 2>/dev/null").c_str())), 2);
}
