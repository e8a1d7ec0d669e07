#include <filesystem>

#include "fixture.hpp"
#include "orchestrator/store/ledger_rows.hpp"
#include "sqlite_raw.hpp"

using namespace vt;
using namespace vt::test;

namespace {

/// ledger.db as the version with that many steps wrote it.
void make_ledger_of(int steps, const std::string& file) {
  auto schema = kLedgerSchema;
  schema.steps.resize(static_cast<std::size_t>(steps));
  must(Database::open(file, Database::Access::write, schema));
}

}  // namespace

TEST(LedgerMigration, RowsOfTheFirstSchemaStayAndTheirHostsCanStillBeClosed) {
  TempDir dir;
  ManualClock clock;
  std::filesystem::create_directory(dir.state());
  std::filesystem::permissions(dir.state(), std::filesystem::perms::owner_all);
  auto file = dir.state() + "/ledger.db";
  make_ledger_of(1, file);
  change(file, R"(
    INSERT INTO resource VALUES (1, 'vt-abc-1', 'abc', '1', 99000, 'tok', 'container', 'acct', 'z', 'host', 'r1', 'pod', 'p-1', '{}', '[]',
                                 'ready', 3, '1:1:dead', 99000, 42, 0, 690000, 1380000, 0, 1, 1, 'why');
    INSERT INTO event VALUES (1, 'vt-abc-1', 42, 'ready', 'ready', '', 'h1');)");
  auto ledger = must(Ledger::open(dir.state(), clock));
  EXPECT_EQ(sql(file, "PRAGMA user_version"), std::to_string(kLedgerSchema.steps.size()));
  auto row = must(ledger->find("vt-abc-1")).value();
  EXPECT_EQ(row.provider + row.account + row.zone + row.kind + row.run + row.layer + row.provider_id, "containeracctzhostr1podp-1");
  EXPECT_EQ(row.state, ResourceState::ready);
  EXPECT_EQ(row.hourly.micro + row.reserved.micro, 690'000 + 1'380'000);
  EXPECT_TRUE(row.keep);
  EXPECT_EQ(row.machine + row.market + row.request_id + row.price_source, "");
  must(ledger->update("vt-abc-1", "release", [](Resource& r) { r.state = ResourceState::deleting, r.machine = "m"; }));
  EXPECT_EQ(must(ledger->find("vt-abc-1"))->machine, "m");
  EXPECT_EQ(sql(file, "SELECT prev_hash FROM event WHERE seq = 2"), "h1") << "the chain of events goes on";
}

TEST(LedgerMigration, KeepsACopyOfTheOlderFile) {
  TempDir dir;
  ManualClock clock;
  std::filesystem::create_directory(dir.state());
  std::filesystem::permissions(dir.state(), std::filesystem::perms::owner_all);
  make_ledger_of(1, dir.state() + "/ledger.db");
  must(Ledger::open(dir.state(), clock));
  int copies = 0;
  for (auto& entry : std::filesystem::directory_iterator(dir.state()))
    if (entry.path().filename().string().starts_with("ledger.db.schema1-")) {
      ++copies;
      EXPECT_EQ(sql(entry.path().string(), "PRAGMA user_version"), "1");
      EXPECT_EQ(mode_of(entry.path().string()), 0600U);
    }
  EXPECT_EQ(copies, 1);
}

TEST(LedgerMigration, NewColumnsComeBack) {
  TempDir dir;
  ManualClock clock;
  auto ledger = must(Ledger::open(dir.state(), clock));
  auto r = resource(*ledger);
  r.machine = "g4-standard-48", r.market = "spot", r.request_id = "0b1c", r.price_source = "price book gcp of 2026-07-30";
  must(ledger->plan(r));
  auto back = must(ledger->find(r.owner.name)).value();
  EXPECT_EQ(back.machine + "|" + back.market + "|" + back.request_id + "|" + back.price_source,
            "g4-standard-48|spot|0b1c|price book gcp of 2026-07-30");
}
