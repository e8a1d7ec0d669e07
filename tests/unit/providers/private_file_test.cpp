#include "providers/private_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "tests/support/temp_dir.hpp"

namespace vt {
namespace {

long files_in(const std::string& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

TEST(PrivateFile, IsForItsOwnerAloneAndReplacesWhatWasThere) {
  test::TempDir dir;
  auto path = dir / "keys/one";
  test::shell("mkdir -p " + (dir / "keys") + " && echo old > " + path + " && chmod 644 " + path);
  ASSERT_TRUE(write_private_file(path, "new"));
  struct stat seen {};
  ASSERT_EQ(stat(path.c_str(), &seen), 0);
  EXPECT_EQ(seen.st_mode & 0777, 0600U);
  EXPECT_EQ(test::read_file(path), "new");
  EXPECT_EQ(files_in(dir / "keys"), 1);
}

TEST(PrivateFile, WritersOfTheSameFileDoNotDisturbEachOther) {
  test::TempDir dir;
  auto path = dir / "keys/one";
  std::vector<std::string> texts{std::string(4096, 'a'), std::string(2048, 'b'), std::string(1024, 'c')};
  {
    std::vector<std::jthread> writers;
    for (auto& text : texts)
      writers.emplace_back([&] {
        for (int i = 0; i < 5; ++i) {
          auto written = write_private_file(path, text);
          EXPECT_TRUE(written) << written.error().what;
          auto seen = test::read_file(path);
          EXPECT_NE(std::find(texts.begin(), texts.end(), seen), texts.end()) << seen.size() << " bytes of a mixture";
        }
      });
  }
  EXPECT_EQ(files_in(dir / "keys"), 1);
}

TEST(PrivateFile, WhatFailsLeavesNothing) {
  test::TempDir dir;
  ASSERT_EQ(mkdir((dir / "taken").c_str(), 0700), 0);
  auto written = write_private_file(dir / "taken", "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::storage);
  EXPECT_EQ(files_in(dir.path()), 1);
}

}  // namespace
}  // namespace vt
