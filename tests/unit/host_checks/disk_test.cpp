#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_dir.hpp"
#include "tests/unit/host_checks/reporter.hpp"

using namespace vt;
using nlohmann::json;
using test::run;

namespace {

class Disk : public testing::Test {
 protected:
  json args(json more) {
    more["dir"] = dir.path(), more["own"] = true;
    return more;
  }
  void TearDown() override { EXPECT_TRUE(std::filesystem::is_empty(dir.path())); }
  test::TempDir dir;
};

}  // namespace

TEST_F(Disk, IsReadBackFromTheDisk) {
  auto seen = run(checks::verify_disk, args({{"mib", 2}}));
  EXPECT_EQ(seen.error, "");
  EXPECT_EQ(seen.values["wrong"], 0);
  EXPECT_EQ(seen.values["mib"], 2);
  EXPECT_FALSE(seen.values["file_system"].get<std::string>().empty());
  EXPECT_EQ(seen.device, dir.path());
}

TEST_F(Disk, AFlippedBitIsFound) {
  EXPECT_EQ(run(checks::verify_disk, args({{"mib", 2}, {"fault", true}})).values["wrong"], 1);
  EXPECT_EQ(run(checks::disk_sequential, args({{"mib", 2}, {"fault", true}})).values["wrong"], 1);
}

TEST_F(Disk, SequentialReadsAndWritesAreMeasuredAndVerified) {
  auto seen = run(checks::disk_sequential, args({{"mib", 4}}));
  EXPECT_EQ(seen.error, "");
  EXPECT_GT(seen.values["read_gb_s"], 0.0);
  EXPECT_GT(seen.values["write_gb_s"], 0.0);
  EXPECT_EQ(seen.values["wrong"], 0);
  EXPECT_EQ(seen.values["engine"], "own");
}

TEST_F(Disk, RandomReadsAndWritesAreMeasuredAndVerified) {
  auto seen = run(checks::disk_random, args({{"mib", 2}, {"depth", 4}, {"seconds", 0.02}}));
  EXPECT_EQ(seen.error, "");
  EXPECT_GT(seen.values["read_iops"], 0.0);
  EXPECT_GT(seen.values["write_iops"], 0.0);
  EXPECT_GT(seen.values["write_p99_us"], 0.0);
  EXPECT_EQ(seen.values["wrong"], 0);
}

TEST_F(Disk, FsyncIsMeasuredAsOftenAsAsked) {
  auto seen = run(checks::disk_fsync, args({{"count", 5}}));
  EXPECT_EQ(seen.error, "");
  EXPECT_EQ(seen.values["count"], 5);
  EXPECT_GT(seen.values["p99_ms"], 0.0);
  EXPECT_GE(seen.values["p99_ms"], seen.values["p50_ms"]);
}

TEST_F(Disk, NothingDoneInTimeIsAnError) {
  EXPECT_EQ(run(checks::verify_disk, args({{"mib", 2}}), -10).error, "not all of it was written and read back in time");
  EXPECT_FALSE(run(checks::disk_sequential, args({{"mib", 100'000}}), 20).error.empty());
}

TEST(DiskFolder, ThatIsNotThereIsAnError) {
  EXPECT_EQ(run(checks::disk_sequential, {{"dir", "/nowhere"}}).error, "cannot make a file in /nowhere: No such file or directory");
}
