// Full disks, here and on the host.
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>

#include "scene.hpp"

using namespace vt::test;

namespace {

/// A small file system of its own at a path, for as long as this lives.
class SmallDisk {
 public:
  SmallDisk(std::string path, const std::string& size) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    mounted_ = mount("tmpfs", path_.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, ("mode=0700,size=" + size).c_str()) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) umount2(path_.c_str(), MNT_DETACH);
  }
  [[nodiscard]] bool mounted() const { return mounted_; }
  /// Leaves no byte.
  void fill() const {
    int fd = open((path_ + "/filler").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    std::string block(4096, 'x');
    while (write(fd, block.data(), block.size()) > 0) {}
    close(fd);
  }
  void make_room() const { unlink((path_ + "/filler").c_str()); }

 private:
  std::string path_;
  bool mounted_ = false;
};

class DiskFull : public Scene {
 protected:
  void SetUp() override {
    Scene::SetUp();
    if (IsSkipped()) return;
    disk = std::make_unique<SmallDisk>(program.state(), "12m");
    if (!disk->mounted()) GTEST_SKIP() << "no file system can be mounted here: needs root";
  }
  void TearDown() override {
    if (disk) disk->make_room();
    Scene::TearDown();
    disk.reset();
  }
  std::unique_ptr<SmallDisk> disk;
};

TEST_F(DiskFull, BeforeTheRunNothingIsMade) {
  disk->fill();
  auto ended = program.run({"run", plan_});
  EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.err, "full") || has(ended.err, "No space left")) << ended.err;
  EXPECT_FALSE(std::filesystem::exists(program.state() + "/pods"));
  disk->make_room();
  EXPECT_EQ(program.run({"resources"}).exit_code, 0);
  EXPECT_EQ(program.run({"run", plan_}).exit_code, 0);
}

TEST_F(DiskFull, WithRoomForTheDatabasesButNotForASafeRun) {
  ASSERT_EQ(program.run({"run", plan_}).exit_code, 0);
  std::filesystem::remove(program.state() + "/ledger.ballast");
  disk->fill();
  auto ended = program.run({"run", plan_});
  EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
  EXPECT_EQ(program.run({"resources"}).exit_code, 0) << "a host was made without room to keep track of it";
}

#ifdef VT_FAILPOINTS

TEST_F(DiskFull, DuringARunHostsAreGivenBackAndResumeCompletes) {
  program.environment["VAULT_TEST_FAILPOINT"] = "agent.run=sleep:3000@1";
  program.start({"run", plan_});
  ASSERT_TRUE(program.saw("pod: execute")) << program.err();
  ASSERT_TRUE(program.saw("box: execute")) << program.err();
  disk->fill();
  auto ended = program.wait();
  program.environment.clear();
  EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.err, "disk is full") || has(ended.err, "no space")) << ended.err;
  EXPECT_TRUE(has(ended.err, "resume")) << ended.err;
  auto open = program.run({"resources"});
  EXPECT_EQ(open.exit_code, 0) << open.out << open.err;
  EXPECT_TRUE(std::filesystem::is_empty(program.state() + "/pods"));
  disk->make_room();
  EXPECT_EQ(integrity(program.state() + "/results.db"), "ok");
  EXPECT_EQ(integrity(program.state() + "/ledger.db"), "ok");
  auto resumed = program.run({"resume", "last"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(verdicts(), all_well());
  EXPECT_EQ(starts(), 1);
  expect_nothing_left();
}

#endif

/// The host's home is on a disk of its own.
class HostDiskFull : public Scene {
 protected:
  void SetUp() override {
    home_ = std::make_unique<SmallDisk>(program.path("home"), "512k");
    options.config = {"SetEnv HOME=" + program.path("home")};
    if (!home_->mounted()) GTEST_SKIP() << "no file system can be mounted here: needs root";
    Scene::SetUp();
  }
  void TearDown() override {
    Scene::TearDown();
    sshd.reset();
    home_.reset();
  }
  std::unique_ptr<SmallDisk> home_;
};

/// It is that host's problem: the other layer goes on, and the text says which disk it is.
TEST_F(HostDiskFull, WithoutRoomForTheAgentCostsThatHostOnly) {
  auto ended = program.run({"run", plan_});
  EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "disk full on ")) << ended.out;
  auto found = verdicts();
  for (auto& [check, verdict] : found) EXPECT_EQ(verdict, has(check, "box") ? "blocked" : all_well().at(check)) << check;
  expect_nothing_left();
}

TEST_F(HostDiskFull, WithoutRoomForAFolderAnotherOneIsTaken) {
  home_->fill();
  auto ended = program.run({"run", plan_of({box_layer("c.pass")})});
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  expect_nothing_left();
}

}  // namespace
