#include "orchestrator/engine/subject.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace vt;

namespace {

class Repository : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/vt-subject-XXXXXX";
    folder_ = mkdtemp(pattern);
    run("git init -q && git config user.email a@b && git config user.name n && echo 1 > f && git add f && git commit -qm one");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void run(const std::string& command) { ASSERT_EQ(std::system(("cd '" + folder_ + "' && " + command).c_str()), 0); }
  std::string folder_;
};

}  // namespace

TEST_F(Repository, CleanDirtyAndChanged) {
  auto clean = read_subject({folder_, false});
  ASSERT_TRUE(clean) << clean.error().what;
  EXPECT_EQ(clean->commit.size(), 40U);
  EXPECT_FALSE(clean->dirty);
  run("echo 2 > f");
  auto dirty = read_subject({folder_, false});
  ASSERT_TRUE(dirty);
  EXPECT_TRUE(dirty->dirty);
  EXPECT_EQ(dirty->commit, clean->commit);
  EXPECT_NE(dirty->digest, clean->digest);
  run("echo 3 > f");
  EXPECT_NE(read_subject({folder_, false})->digest, dirty->digest) << "other changes are another subject";
}

TEST_F(Repository, RequiringACleanOneRefusesADirtyOne) {
  run("touch untracked");
  auto subject = read_subject({folder_, true});
  ASSERT_FALSE(subject);
  EXPECT_NE(subject.error().what.find("uncommitted changes"), std::string::npos);
}

TEST(Subject, NoRepositoryIsSaid) {
  auto subject = read_subject({"/proc", false});
  ASSERT_FALSE(subject);
  EXPECT_NE(subject.error().what.find("git said"), std::string::npos);
}
