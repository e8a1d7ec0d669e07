// P13: two orchestrators on one ledger do no harm. P14: one that was superseded neither spends nor deletes. P8: caps hold between them.
#include <signal.h>
#include <sqlite3.h>

#include <chrono>
#include <random>
#include <thread>

#include "promise.hpp"

using namespace vt::test;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

/// The first value of the first row, or the error.
std::string ask(const std::string& database, const std::string& question) {
  sqlite3* db = nullptr;
  std::string said;
  auto note = [](void* out, int, char** values, char**) { return *static_cast<std::string*>(out) = values[0] ? values[0] : "", 0; };
  sqlite3_open_v2(database.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr);
  sqlite3_busy_timeout(db, 5000);
  if (sqlite3_exec(db, question.c_str(), note, &said, nullptr) != SQLITE_OK) said += sqlite3_errmsg(db);
  sqlite3_close(db);
  return said;
}

class Together : public Promise {
 protected:
  explicit Together(const char* promise = "P13") : Promise(promise) {}
  [[nodiscard]] std::string ledger() const { return program->state() + "/rehearsal/ledger.db"; }
};

/// At any moment one or both are killed; what is left is resumed or reaped while the next two are under way already.
TEST_F(Together, AndKilledAtRandomTheyDoNoHarm) {
  begin({"auto", "", 0});
  std::mt19937 random(20261120);
  for (int round = 0, rounds = long_run() ? 100 : 6; round < rounds; ++round) {
    auto other = beside();
    auto plan = plan_of({layer("gcp", 1), layer("runpod", 1)});
    auto first = start({"run", plan}), second = other->start(words({"run", plan}));
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 3000));
    if (round % 3 != 0) kill(first, SIGKILL);
    if (round % 3 == 2) kill(second, SIGKILL);
    if (round % 3 == 1) beside()->run(words({"reap"}));
    for (auto each : {program.get(), other.get()}) {
      auto ended = each->wait(60);
      EXPECT_TRUE(ended.exit_code == 137 || ended.exit_code == 0 || ended.exit_code == 5) << ended.exit_code << ended.out << ended.err;
      EXPECT_FALSE(has(ended.out + ended.err, "locked") || has(ended.out + ended.err, "busy")) << ended.err;
      count("kills", ended.exit_code == 137);
    }
    EXPECT_EQ(ask(ledger(), "PRAGMA integrity_check"), "ok");
    expect_kept(4);
    count("two_at_once");
  }
}

class Superseded : public Together {
 protected:
  Superseded() : Together("P14") {}
  int deletes() {
    int n = 0;
    for (auto& request : clouds.requests()) n += request["method"] == "DELETE";
    return n;
  }
};

/// The first holder sleeps; the ledger is told that it is dead, as after a reboot; reap takes over and ends the host; the sleeper wakes.
TEST_F(Superseded, NeitherSpendsNorDeletes) {
  for (std::string provider : {"gcp", "runpod"}) {
    begin({"auto", "", 0});
    auto pid = start({"run", plan_of({layer(provider, 1, "p.long")})});
    ASSERT_TRUE(program->saw("-layer: execute")) << program->err();
    kill(pid, SIGSTOP);
    ask(ledger(), "UPDATE resource SET holder = '1:1:gone'");
    auto reaped = beside()->run(words({"reap"}));
    EXPECT_EQ(reaped.exit_code, 0) << reaped.out << reaped.err;
    auto before = books();
    int deletes_before = deletes();
    kill(pid, SIGCONT);
    auto ended = program->wait(60);
    EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
    EXPECT_EQ(books().creates, before.creates);
    EXPECT_EQ(deletes(), deletes_before);
    count("creates_when_superseded", books().creates - before.creates);
    count("deletes_when_superseded", deletes() - deletes_before);
    expect_kept(1);
  }
}

class Capped : public Together {
 protected:
  Capped() : Together("P8") {}

  /// Micro-dollars: what is reserved or spent now.
  [[nodiscard]] long committed() const {
    return std::atol(ask(ledger(),
                         "SELECT sum(CASE WHEN state IN ('gone','refused','presumed_absent') THEN cost ELSE max(reserved, cost) END)"
                         " FROM resource")
                         .c_str());
  }
  /// What the clouds bill, at the ledger's speed: the emulated meter runs faster.
  [[nodiscard]] double billed() const {
    double sum = 0;
    for (auto& thing : clouds.things())
      if (thing["foreign"] == false) sum += thing["metered"].get<double>() * std::atof(kPace) / 3.6e6 * thing["hourly"].get<double>();
    return sum;
  }
};

TEST_F(Capped, TwoThatAskForMoreThanTheCapStayBelowIt) {
  constexpr long kCap = 100'000;
  begin({"auto", "", 0});
  write_file(program->path("config"), "caps: {day: $0.10}\n");
  auto other = beside();
  for (auto each : {program.get(), other.get()}) each->environment["VAULT_TEST_CONFIG"] = program->path("config");
  auto plan = plan_of({layer("gcp", 3)});
  start({"run", plan}), other->start(words({"run", plan}));
  long most = 0;
  for (auto until = std::chrono::steady_clock::now() + 4s; std::chrono::steady_clock::now() < until; std::this_thread::sleep_for(20ms))
    most = std::max(most, committed());
  int capped = 0;
  for (auto each : {program.get(), other.get()}) {
    auto ended = each->wait(60);
    EXPECT_TRUE(ended.exit_code == 0 || ended.exit_code == 4) << ended.exit_code << ended.out << ended.err;
    capped += ended.exit_code == 4;
  }
  EXPECT_GT(capped, 0) << "nobody met the cap";
  EXPECT_GT(most, 0);
  EXPECT_LE(most, kCap);
  EXPECT_LE(billed(), static_cast<double>(kCap));
  count("ended_by_cap", capped), count("above_cap_microusd", static_cast<int>(std::max(0L, most - kCap)));
  expect_kept(6);
}

TEST_F(Capped, NothingIsCreatedOnceItIsReached) {
  begin();
  write_file(program->path("config"), "caps: {day: $0.001}\n");
  for (std::string provider : {"gcp", "runpod"}) {
    program->environment["VAULT_TEST_CONFIG"] = program->path("config");
    auto ended = vault({"run", plan_of({layer(provider, 5)})});
    EXPECT_EQ(ended.exit_code, 4) << ended.out << ended.err;
    EXPECT_TRUE(has(ended.out, "cap")) << ended.out;
  }
  EXPECT_EQ(books().creates, 0);
  count("creates_after_the_cap", books().creates);
  expect_kept(0);
}

}  // namespace
