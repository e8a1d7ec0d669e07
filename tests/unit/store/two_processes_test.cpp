#include <array>
#include <csignal>

#include "fixture.hpp"
#include "sqlite_raw.hpp"

using namespace vt;
using namespace vt::test;

namespace {

constexpr int kRows = 200;

int write_rows(const std::string& state, const std::string& host) {
  SystemClock clock;
  auto store = must(Store::open(state, clock));
  for (int i = 0; i < kRows; ++i) {
    auto k = key("r1", host, "c" + std::to_string(i));
    auto o = observation(k);
    must(store->add_result(&o, judgement(k, Verdict::pass)));
  }
  return 0;
}

struct Pipe {
  std::array<int, 2> ends{};
  Pipe() { EXPECT_EQ(pipe(ends.data()), 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() { close(ends[0]), close(ends[1]); }
  void send(std::string text) const {
    text.resize(64, ' ');
    EXPECT_EQ(write(ends[1], text.data(), text.size()), 64);
  }
  std::string receive() const {
    std::string text(64, '\0');
    EXPECT_EQ(read(ends[0], text.data(), text.size()), 64);
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }
};

}  // namespace

TEST(TwoProcesses, WriteAtOnceAndLoseNothing) {
  TempDir dir;
  SystemClock clock;
  add_run(*must(Store::open(dir.state(), clock)), "r1");
  auto a = in_child([&] { return write_rows(dir.state(), "a"); });
  auto b = in_child([&] { return write_rows(dir.state(), "b"); });
  EXPECT_EQ(exit_status(a), 0);  // 99 and a line on stderr if one ever saw SQLITE_BUSY
  EXPECT_EQ(exit_status(b), 0);
  EXPECT_EQ(sql(dir.state() + "/results.db", "SELECT count(*) || ' ' || (SELECT count(*) FROM observation) FROM judgement"), "400 400");
  EXPECT_EQ(sql(dir.state() + "/results.db", "PRAGMA integrity_check"), "ok");
}

TEST(TwoProcesses, OpenTheFirstTimeTogetherAndAgree) {
  TempDir dir;
  Pipe names;
  auto start = [&] {
    return in_child([&] {
      SystemClock clock;
      must(Store::open(dir.state(), clock));
      names.send(must(must(Ledger::open(dir.state(), clock))->new_ownership("p", "", Duration{1})).install);
      return 0;
    });
  };
  auto a = start(), b = start(), c = start();
  EXPECT_EQ(exit_status(a) + exit_status(b) + exit_status(c), 0);
  auto first = names.receive();
  EXPECT_EQ(names.receive(), first);
  EXPECT_EQ(names.receive(), first);
  EXPECT_EQ(sql(dir.state() + "/ledger.db", "SELECT count(*) FROM install"), "1");
}

TEST(TwoProcesses, ARowOfALivingHolderIsLeftAlone) {
  TempDir dir;
  ManualClock clock;
  Pipe up, down;
  auto holder = in_child([&] {
    auto ledger = must(Ledger::open(dir.state(), clock));
    auto r = resource(*ledger);
    must(ledger->plan(r));
    up.send(r.owner.name);
    down.receive();
    must(ledger->update(r.owner.name, "still mine", [](Resource& x) { x.state = ResourceState::creating; }));
    up.send("done");
    return pause(), 0;
  });
  auto name = up.receive();
  auto ledger = must(Ledger::open(dir.state(), clock));
  EXPECT_TRUE(Ledger::holder_alive(*must(ledger->find(name))));
  EXPECT_EQ(code_of(ledger->take_over(name)), Errc::refused);
  EXPECT_EQ(code_of(ledger->update(name, "mine?", [](Resource& x) { x.reason = "x"; })), Errc::refused);
  down.send("go on");
  EXPECT_EQ(up.receive(), "done");
  kill(holder, SIGKILL);
  EXPECT_EQ(exit_status(holder), 128 + SIGKILL);
  EXPECT_FALSE(Ledger::holder_alive(*must(ledger->find(name))));
  must(ledger->take_over(name));
  auto row = *must(ledger->find(name));
  EXPECT_EQ(row.generation, 1);
  EXPECT_EQ(row.holder, this_holder());
  EXPECT_EQ(row.state, ResourceState::creating);
}

TEST(TwoProcesses, UpdatingADeadHoldersRowTakesItOver) {
  TempDir dir;
  ManualClock clock;
  Pipe up;
  auto gone = in_child([&] {
    auto ledger = must(Ledger::open(dir.state(), clock));
    auto r = resource(*ledger);
    must(ledger->plan(r));
    return up.send(r.owner.name), 0;
  });
  EXPECT_EQ(exit_status(gone), 0);
  auto name = up.receive();
  auto ledger = must(Ledger::open(dir.state(), clock));
  must(ledger->update(name, "reaped", [](Resource& x) { x.state = ResourceState::refused; }));
  EXPECT_EQ(must(ledger->find(name))->generation, 1);
  EXPECT_EQ(must(ledger->find(name))->holder, this_holder());
  auto late = in_child([&] {
    auto other = must(Ledger::open(dir.state(), clock));
    return code_of(other->update(name, "too late", [](Resource&) {})) == Errc::refused ? 0 : 1;
  });
  EXPECT_EQ(exit_status(late), 0);
}

TEST(TwoProcesses, ARunOfALivingProcessCannotBeTaken) {
  TempDir dir;
  SystemClock clock;
  Pipe up;
  auto holder = in_child([&] {
    auto store = must(Store::open(dir.state(), clock));
    add_run(*store, "r1");
    up.send("added");
    return pause(), 0;
  });
  up.receive();
  auto store = must(Store::open(dir.state(), clock));
  EXPECT_EQ(code_of(store->take_run("r1")), Errc::refused);
  kill(holder, SIGKILL);
  exit_status(holder);
  must(store->take_run("r1"));
  EXPECT_EQ(must(store->run("r1"))->holder, this_holder());
}
