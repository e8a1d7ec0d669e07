#include "orchestrator/store/database.hpp"

#include <sqlite3.h>

#include <csignal>
#include <fstream>

#include "fixture.hpp"
#include "orchestrator/store/files.hpp"
#include "sqlite_raw.hpp"

using namespace vt;
using namespace vt::test;

namespace {

Status nothing() { return {}; }

const Schema kOld{"sample", 4711, {"CREATE TABLE a (x INTEGER) STRICT"}, nothing, nothing};
const Schema kNew{"sample",
                  4711,
                  {kOld.steps[0], "ALTER TABLE a ADD COLUMN y TEXT NOT NULL DEFAULT 'none'",
                   "CREATE TABLE b (x INTEGER) STRICT; INSERT INTO b VALUES (3)"},
                  nothing,
                  nothing};
const Schema kBroken{"sample", 4711, {kOld.steps[0], "CREATE TABLE c (x INTEGER) STRICT", "no such statement"}, nothing, nothing};

class DatabaseTest : public testing::Test {
 protected:
  void SetUp() override { must(make_private_folder(dir_.state())); }
  Result<std::unique_ptr<Database>> open(const Schema& schema, Database::Access access = Database::Access::write) {
    return Database::open(path_, access, schema);
  }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (auto& entry : std::filesystem::directory_iterator(dir_.state())) out.push_back(entry.path().string());
    return out;
  }
  TempDir dir_;
  std::string path_ = dir_.state() + "/sample.db";
};

}  // namespace

TEST_F(DatabaseTest, OldFilesAreBroughtUpToDateAfterACopy) {
  must(must(open(kOld))->run("INSERT INTO a VALUES (7)"));
  EXPECT_EQ(files().size(), 1U);
  auto db = must(open(kNew));
  EXPECT_EQ(sql(path_, "SELECT x || y FROM a"), "7none");
  EXPECT_EQ(sql(path_, "SELECT x FROM b"), "3");
  EXPECT_EQ(sql(path_, "PRAGMA user_version"), "3");
  ASSERT_EQ(files().size(), 2U);
  auto copy = files()[0] == path_ ? files()[1] : files()[0];
  EXPECT_TRUE(copy.starts_with(path_ + ".schema1-")) << copy;
  EXPECT_EQ(mode_of(copy), 0600U);
  EXPECT_EQ(sql(copy, "SELECT x FROM a"), "7");
  EXPECT_EQ(sql(copy, "PRAGMA user_version"), "1");
  EXPECT_EQ(must(open(kNew))->path(), path_);
  EXPECT_EQ(files().size(), 2U);  // nothing to do: no further copy
}

TEST_F(DatabaseTest, ABrokenStepLeavesTheFileAsItWas) {
  must(must(open(kOld))->run("INSERT INTO a VALUES (7)"));
  EXPECT_EQ(code_of(open(kBroken)), Errc::storage);
  EXPECT_EQ(sql(path_, "PRAGMA user_version"), "1");
  EXPECT_EQ(sql(path_, "SELECT count(*) FROM sqlite_schema"), "1");
  EXPECT_EQ(sql(path_, "SELECT x FROM a"), "7");
}

TEST_F(DatabaseTest, NewerFilesAreRefused) {
  must(open(kNew));
  auto refused = open(kOld);
  EXPECT_EQ(code_of(refused), Errc::refused);
  EXPECT_NE(refused.error().what.find("newer vault-test (schema 3, this one knows 1)"), std::string::npos) << refused.error().what;
  EXPECT_EQ(code_of(open(kOld, Database::Access::read)), Errc::refused);
  EXPECT_EQ(sql(path_, "PRAGMA user_version"), "3");
}

TEST_F(DatabaseTest, ReadersNeitherMakeNorMigrateNorWrite) {
  EXPECT_EQ(code_of(open(kNew, Database::Access::read)), Errc::not_found);
  EXPECT_TRUE(files().empty());
  must(open(kOld));
  EXPECT_EQ(code_of(open(kNew, Database::Access::read)), Errc::refused);
  EXPECT_EQ(sql(path_, "PRAGMA user_version"), "1");
  auto reader = must(open(kOld, Database::Access::read));
  EXPECT_EQ(code_of(reader->run("INSERT INTO a VALUES (1)")), Errc::storage);
}

TEST_F(DatabaseTest, FilesOfOthersAreRefused) {
  change(path_, "CREATE TABLE theirs (x); PRAGMA application_id = 5");
  EXPECT_EQ(code_of(open(kNew)), Errc::refused);
  EXPECT_EQ(sql(path_, "SELECT count(*) FROM sqlite_schema"), "1");
  std::ofstream(path_, std::ios::trunc) << std::string(5000, 'x');
  auto garbage = open(kNew);
  EXPECT_EQ(code_of(garbage), Errc::storage);
  EXPECT_NE(garbage.error().what.find(path_), std::string::npos);
}

TEST_F(DatabaseTest, ConnectionsAreHardened) {
  auto db = must(open(kNew));
  auto pragma = [&](const std::string& name) {
    return must(db->rows<std::string>("PRAGMA " + name, {}, [](Row& row) { return row.text(); })).front();
  };
  EXPECT_EQ(pragma("busy_timeout"), "10000");
  EXPECT_EQ(pragma("foreign_keys"), "1");
  EXPECT_EQ(pragma("journal_mode"), "delete");
  EXPECT_EQ(pragma("synchronous"), "3");
  EXPECT_EQ(pragma("trusted_schema"), "0");
  EXPECT_EQ(pragma("cell_size_check"), "1");
  EXPECT_EQ(pragma("temp_store"), "2");
  EXPECT_EQ(pragma("application_id"), "4711");
  must(db->run("PRAGMA writable_schema=ON"));  // ignored by a defensive connection
  EXPECT_FALSE(db->run("DELETE FROM sqlite_schema"));
  EXPECT_FALSE(db->run("INSERT INTO b VALUES (length(?))", {std::string((16 << 20) + 1, 'x')}));
}

TEST_F(DatabaseTest, OpeningAgainKeepsTheLocksOfThisProcess) {
  auto first = must(open(kNew));
  must(first->write([&]() -> Status {
    must(open(kNew, Database::Access::read));
    must(make_private_file(path_));
    auto rival = in_child([&] {
      SQLite::Database other(path_, SQLite::OPEN_READWRITE, 0);
      return other.tryExec("BEGIN IMMEDIATE") == SQLITE_BUSY ? 0 : 1;
    });
    EXPECT_EQ(exit_status(rival), 0);
    return {};
  }));
}

TEST_F(DatabaseTest, ReadersRollBackWhatACrashLeft) {
  must(must(open(kNew))->run("INSERT INTO a (x) VALUES (1)"));
  auto crashed = in_child([&] {
    SQLite::Database other(path_, SQLite::OPEN_READWRITE, 0);
    other.exec(
        "PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE a SET x = 2;"
        "INSERT INTO a (x) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n");
    return kill(getpid(), SIGKILL);  // with half of it in the file already
  });
  EXPECT_EQ(exit_status(crashed), 128 + SIGKILL);
  ASSERT_TRUE(std::filesystem::exists(path_ + "-journal"));
  auto reader = must(open(kNew, Database::Access::read));
  EXPECT_EQ(must(reader->rows<std::string>("SELECT group_concat(x) FROM a", {}, [](Row& row) { return row.text(); })).front(), "1");
}

TEST_F(DatabaseTest, FailedTransactionsLeaveNothing) {
  auto db = must(open(kNew));
  auto failed = db->write([&]() -> Status {
    must(db->run("INSERT INTO a (x) VALUES (1)"));
    return fail(Errc::refused, "no");
  });
  EXPECT_EQ(code_of(failed), Errc::refused);
  EXPECT_EQ(sql(path_, "SELECT count(*) FROM a"), "0");
  must(db->write([&]() -> Status { return must(db->run("INSERT INTO a (x) VALUES (1)")), Status{}; }));
  EXPECT_EQ(sql(path_, "SELECT count(*) FROM a"), "1");
}

TEST(Files, FoldersAndFilesArePrivateWhateverTheUmask) {
  for (mode_t mask : {0000U, 0022U, 0777U}) {
    TempDir dir;
    auto before = umask(mask);
    auto folder = make_private_folder(dir.path() + "/a/b");
    auto file = make_private_file(dir.path() + "/a/b/f");
    auto replaced = replace_file(dir.path() + "/a/b/g", "text");
    umask(before);
    must(folder), must(file), must(replaced);
    EXPECT_EQ(mode_of(dir.path() + "/a"), 0700U);
    EXPECT_EQ(mode_of(dir.path() + "/a/b"), 0700U);
    EXPECT_EQ(mode_of(dir.path() + "/a/b/f"), 0600U);
    EXPECT_EQ(mode_of(dir.path() + "/a/b/g"), 0600U);
    EXPECT_EQ(must(read_file(dir.path() + "/a/b/g")), "text");
  }
}

TEST(Files, FoldersOthersCanWriteToAreRefused) {
  TempDir dir;
  SystemClock clock;
  for (mode_t mode : {0720U, 0702U, 01777U}) {
    ASSERT_EQ(chmod(dir.path().c_str(), mode), 0);
    EXPECT_EQ(code_of(Store::open(dir.path(), clock)), Errc::storage);
    EXPECT_EQ(code_of(Ledger::open(dir.path(), clock)), Errc::storage);
    EXPECT_EQ(code_of(Store::open_existing(dir.path(), clock)), Errc::storage);
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(Files, LinksAndStrangersFilesAreRefused) {
  TempDir dir;
  SystemClock clock;
  ASSERT_EQ(chmod(dir.path().c_str(), 0700), 0);
  std::ofstream(dir.path() + "/elsewhere") << "";
  std::filesystem::create_symlink(dir.path() + "/elsewhere", dir.path() + "/results.db");
  EXPECT_EQ(code_of(Store::open(dir.path(), clock)), Errc::storage);
  EXPECT_EQ(std::filesystem::file_size(dir.path() + "/elsewhere"), 0U);
}

TEST(Files, ALinkToTheFolderIsFine) {
  TempDir dir;
  SystemClock clock;
  must(make_private_folder(dir.state()));
  std::filesystem::create_directory_symlink(dir.state(), dir.path() + "/link");
  must(Store::open(dir.path() + "/link", clock));
  EXPECT_EQ(mode_of(dir.state() + "/results.db"), 0600U);
}

TEST(Files, NetworkFileSystemsAreKnown) {
  EXPECT_EQ(network_file_system(0x6969), "NFS");
  EXPECT_EQ(network_file_system(static_cast<long>(0xFF534D42)), "CIFS");
  EXPECT_EQ(network_file_system(static_cast<int>(0xFE534D42)), "SMB2");  // f_type is signed on some machines
  EXPECT_FALSE(network_file_system(0xEF53));                             // ext4
  EXPECT_FALSE(network_file_system(0x01021994));                         // tmpfs
}

TEST(Files, ErrorsTellAFullDiskFromTheRest) {
  EXPECT_EQ(file_error("f", "x", ENOSPC).code, Errc::disk_full);
  EXPECT_EQ(file_error("f", "x", EDQUOT).code, Errc::disk_full);
  EXPECT_EQ(file_error("f", "x", EIO).code, Errc::storage);
}
