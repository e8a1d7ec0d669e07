#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/host/agent_session.hpp"
#include "orchestrator/host/local_transport.hpp"
#include "tests/unit/host/home.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

Deadline soon() { return Deadline::after(20s); }

/// This machine, with a prefix before each command: what another host would be like.
class Prefixed final : public Transport {
 public:
  explicit Prefixed(std::string prefix) : prefix_(std::move(prefix)) {}
  [[nodiscard]] Traits traits() const override { return inner_->traits(); }
  Result<std::unique_ptr<Stream>> open(std::string_view command, Deadline d) override {
    return inner_->open(prefix_ + std::string(command), d);
  }
  [[nodiscard]] std::string where() const override { return "that host"; }

 private:
  std::string prefix_;
  std::unique_ptr<Transport> inner_ = make_local_transport();
};

class Deploy : public testing::Test {
 protected:
  void SetUp() override {
    agent_.folder = folder_.path();
    write_agent("exit 0");
  }
  void write_agent(const std::string& body) { test::write_file(agent_.path(test::machine()), "#!/bin/sh\n" + body + "\n"); }
  Result<Deployed> run(const std::string& prefix = "") {
    Prefixed host(prefix);
    return deploy(host, agent_, soon());
  }
  std::string cache() { return home_ / ".cache/vault-test"; }
  std::vector<std::string> cached() {
    std::vector<std::string> out;
    for (auto& entry : fs::directory_iterator(cache())) out.push_back(entry.path().filename());
    return out;
  }

  /// Of a folder that is not the test's own.
  static void remove_agent(const Deployed& deployed) { fs::remove(deployed.command.substr(6, deployed.command.rfind('\'') - 6)); }

  test::Home home_;
  test::TempDir folder_;
  AgentBinaries agent_;
};

TEST_F(Deploy, UploadsOnceAndThenFindsIt) {
  auto first = run();
  ASSERT_TRUE(first) << first.error().what;
  EXPECT_EQ(first->arch, test::machine());
  EXPECT_EQ(first->uploaded, fs::file_size(agent_.path(test::machine())));
  auto path = cache() + "/" + cached().at(0);
  EXPECT_EQ(first->command, "exec '" + path + "' --stdio");
  EXPECT_EQ(test::read_file(path), test::read_file(agent_.path(test::machine())));
  struct stat info {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  ASSERT_EQ(stat(cache().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  auto second = run();
  ASSERT_TRUE(second) << second.error().what;
  EXPECT_EQ(second->uploaded, 0U);
  EXPECT_EQ(second->command, first->command);
  EXPECT_EQ(cached().size(), 1U);  // nothing half done is left
}

TEST_F(Deploy, APayloadIsSentOnceAndNamedToTheAgent) {
  test::TempDir payload;
  fs::create_directory(payload / "lib");
  test::write_file(payload / "libnccl.so.2", "library one");
  test::write_file(payload / "lib/libcublasLt.so.13", "library two");
  agent_.payload = payload.path();
  auto first = run();
  ASSERT_TRUE(first) << first.error().what;
  auto begins = first->command.find("VT_PAYLOAD='") + 12;
  auto folder = first->command.substr(begins, first->command.find('\'', begins) - begins);
  EXPECT_EQ(test::read_file(folder + "/libnccl.so.2"), "library one");
  EXPECT_EQ(test::read_file(folder + "/libcublasLt.so.13"), "library two");
  EXPECT_EQ(first->uploaded, fs::file_size(agent_.path(test::machine())) + 22);
  auto second = run();
  ASSERT_TRUE(second) << second.error().what;
  EXPECT_EQ(second->uploaded, 0U);
  EXPECT_EQ(second->command, first->command);
  test::write_file(payload / "libnccl.so.2", "a newer one");
  auto third = run();
  ASSERT_TRUE(third) << third.error().what;
  EXPECT_EQ(third->uploaded, 11U) << "only what changed";
  EXPECT_NE(third->command, first->command) << "a folder that a running check uses is not changed";
}

TEST_F(Deploy, APayloadThatCannotBeReadIsSaidAndNothingStarts) {
  test::TempDir payload;
  agent_.payload = payload.path();
  auto empty = run();
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().what, "payload: " + payload.path() + " holds no file");
  test::write_file(payload / "a b", "x");
  EXPECT_FALSE(run()) << "a name with a space";
}

TEST_F(Deploy, AnotherBuildGoesBesideItAndAnOldOneIsRemoved) {
  ASSERT_TRUE(run());
  ASSERT_EQ(test::shell("touch -d '40 days ago' " + cache() + "/vault-test-agent-*"), 0);
  write_agent("exit 0 # newer");
  auto second = run();
  ASSERT_TRUE(second);
  EXPECT_GT(second->uploaded, 0U);
  EXPECT_EQ(cached().size(), 1U);
}

TEST_F(Deploy, ADamagedFileIsReplaced) {
  ASSERT_TRUE(run());
  auto path = cache() + "/" + cached().at(0);
  test::write_file(path, "#!/bin/sh\nexit 0 # damaged\n", 0700);
  auto again = run();
  ASSERT_TRUE(again);
  EXPECT_GT(again->uploaded, 0U);
  EXPECT_EQ(test::read_file(path), test::read_file(agent_.path(test::machine())));
}

TEST_F(Deploy, ALinkInPlaceOfTheFolderIsNotFollowed) {
  fs::create_directories(home_ / ".cache");
  fs::create_directory(home_ / "elsewhere");
  fs::create_directory_symlink(home_ / "elsewhere", cache());
  auto deployed = run();
  ASSERT_TRUE(deployed) << deployed.error().what;  // another folder serves
  EXPECT_TRUE(fs::is_empty(home_ / "elsewhere"));
  EXPECT_EQ(deployed->command.find(home_.path()), std::string::npos);
  remove_agent(*deployed);
}

TEST_F(Deploy, AFolderOfSomebodyElseIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give a folder away";
  fs::create_directories(cache());
  ASSERT_EQ(chown(cache().c_str(), 12345, 12345), 0);
  auto deployed = run();
  ASSERT_TRUE(deployed) << deployed.error().what;
  EXPECT_TRUE(fs::is_empty(cache()));
  remove_agent(*deployed);
}

/// A file system of its own over the cache folder, in a mount namespace: "" if this machine does not let us.
std::string mounted(const std::string& folder, const std::string& options) {
  auto prefix = "exec unshare -m sh -c 'mount -t tmpfs -o " + options + " none " + folder + " && exec sh -c \"$0\"' ";
  return test::shell("unshare -m sh -c 'mount -t tmpfs -o " + options + " none " + folder + "' 2>/dev/null") == 0 ? prefix : "";
}

/// Runs commands through a prefix that takes the command as one word.
class Wrapped final : public Transport {
 public:
  explicit Wrapped(std::string wrapper) : wrapper_(std::move(wrapper)) {}
  [[nodiscard]] Traits traits() const override { return inner_->traits(); }
  Result<std::unique_ptr<Stream>> open(std::string_view command, Deadline d) override {
    std::string quoted = "'";
    for (char c : command) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return inner_->open(wrapper_ + quoted + "'", d);
  }
  [[nodiscard]] std::string where() const override { return "that host"; }

 private:
  std::string wrapper_;
  std::unique_ptr<Transport> inner_ = make_local_transport();
};

TEST_F(Deploy, AFullDiskIsSaidInTheHostsWords) {
  fs::create_directories(cache());
  auto wrapper = mounted(cache(), "size=16k");
  if (wrapper.empty()) GTEST_SKIP() << "this machine allows no mount namespace";
  write_agent("exit 0 #" + std::string(200'000, 'x'));
  Wrapped host(wrapper);
  auto deployed = deploy(host, agent_, soon());
  ASSERT_FALSE(deployed);
  EXPECT_EQ(deployed.error().code, Errc::disk_full) << deployed.error().what;
  EXPECT_NE(deployed.error().what.find("No space left on device"), std::string::npos) << deployed.error().what;
}

TEST_F(Deploy, AFolderThatCannotRunProgramsIsPassedOver) {
  fs::create_directories(cache());
  auto wrapper = mounted(cache(), "noexec");
  if (wrapper.empty()) GTEST_SKIP() << "this machine allows no mount namespace";
  Wrapped host(wrapper);
  auto deployed = deploy(host, agent_, soon());
  ASSERT_TRUE(deployed) << deployed.error().what;
  EXPECT_EQ(deployed->command.find(home_.path()), std::string::npos);
  remove_agent(*deployed);
}

TEST_F(Deploy, ErrorsSayWhatIsMissing) {
  write_agent("echo cannot start >&2; exit 1");
  auto broken = run();
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().what, "deploy: the agent does not start on that host: cannot start");
  EXPECT_TRUE(cached().empty());
  auto no_tool = run("PATH=" + (home_ / "none") + ":; uname() { echo " + test::machine() + "; }; ");
  ASSERT_FALSE(no_tool);
  EXPECT_NE(no_tool.error().what.find("has no sha256sum"), std::string::npos) << no_tool.error().what;
  auto other = run("uname() { echo riscv64; }; ");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::not_found);
  EXPECT_NE(other.error().what.find("no agent for architecture riscv64"), std::string::npos);
  auto restricted = run("uname() { echo This account is not available.; return 1; }; ");
  ASSERT_FALSE(restricted);
  EXPECT_NE(restricted.error().what.find("'This account is not available.'"), std::string::npos) << restricted.error().what;
}

TEST_F(Deploy, AnUploadCutShortIsNotTakenForTheAgent) {
  fs::create_directories(home_ / "bin");
  test::write_file(home_ / "bin/cat", "#!/bin/sh\nexec head -c 5\n", 0700);
  write_agent("exit 0 # third");
  auto shorter = run("PATH=" + (home_ / "bin") + ":$PATH; ");
  ASSERT_FALSE(shorter);
  EXPECT_EQ(shorter.error().code, Errc::transport);
  EXPECT_EQ(shorter.error().what, "deploy: the upload to that host was incomplete: 5 bytes arrived");
  EXPECT_TRUE(cached().empty());
}

}  // namespace
}  // namespace vt
