// P27: signals are honoured at every stage: what there is in the clouds is being given back within a second, or stays visible in the
// ledger.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "promise.hpp"

using namespace vt::test;
using namespace std::chrono_literals;
using nlohmann::json;

#ifdef VT_FAILPOINTS

namespace {

struct Stage {
  const char* name;
  const char* failpoint;  ///< {} stands for the provider; what holds the run there
  const char* hosts;
  bool made;         ///< there is something by then
  const char* seen;  ///< in the progress, by then
  friend std::ostream& operator<<(std::ostream& out, const Stage& s) { return out << s.name; }
};
struct Signal {
  const char* name;
  int number;
  bool twice;
  friend std::ostream& operator<<(std::ostream& out, const Signal& s) { return out << s.name; }
};

class Stopped : public Promise, public testing::WithParamInterface<std::tuple<Stage, Signal>> {
 protected:
  Stopped() : Promise("P27") {}
  void TearDown() override {
    if (pid_ > 0) kill(-pid_, SIGKILL), program->wait();
    if (terminal_ >= 0) close(terminal_);
    Promise::TearDown();
  }

  /// One of the two for each case: both would take twice as long.
  [[nodiscard]] static std::string provider() {
    auto index = std::string(std::get<1>(GetParam()).name).size() + std::string(std::get<0>(GetParam()).name).size();
    return index % 2 == 0 ? "gcp" : "runpod";
  }

  void open_terminal() {
    terminal_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_TRUE(terminal_ >= 0 && grantpt(terminal_) == 0 && unlockpt(terminal_) == 0);
    program->terminal = ptsname(terminal_);
  }
  void start_at(const Stage& stage) {
    std::string failpoint = stage.failpoint;
    if (auto at = failpoint.find("{}"); at != std::string::npos) failpoint.replace(at, 2, provider());
    if (!failpoint.empty()) program->environment["VAULT_TEST_FAILPOINT"] = failpoint;
    pid_ = start({"run", plan_of({layer(provider(), 1, stage.made && *stage.failpoint ? "p.quick" : "p.long")})});
  }
  /// As a terminal does it, an interrupt goes to the whole group.
  void send(const Signal& signal) {
    if (signal.number == 0) return void(close(std::exchange(terminal_, -1)));
    kill(signal.number == SIGINT ? -pid_ : pid_, signal.number);
    if (signal.twice) std::this_thread::sleep_for(50ms), kill(-pid_, signal.number);
  }

  bool began_teardown(std::chrono::steady_clock::time_point sent) {
    while (std::chrono::steady_clock::now() < sent + 1s) {
      for (auto& row : rows())
        if (row["state"] == "deleting" || row["state"] == "gone") return true;
      std::this_thread::sleep_for(20ms);
    }
    return false;
  }
  bool all_rows_open() {
    auto list = rows();
    for (auto& row : list)
      if (row["state"] == "gone" || row["state"] == "refused") return false;
    return !list.empty();
  }
  bool reached(const Stage& stage) {
    if (*stage.seen) return program->saw(stage.seen);
    if (stage.made) return alive(1);
    auto until = std::chrono::steady_clock::now() + 20s;
    while (rows().empty() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(10ms);
    return !rows().empty();
  }

  pid_t pid_ = -1;
  int terminal_ = -1;
};

TEST_P(Stopped, GivesBackOrShowsIt) {
  auto& [stage, signal] = GetParam();
  begin({stage.hosts, "", 0});
  open_terminal();
  start_at(stage);
  ASSERT_TRUE(reached(stage)) << program->err();
  auto sent = std::chrono::steady_clock::now();
  send(signal);
  bool began = began_teardown(sent);
  auto ended = program->wait(20);
  pid_ = -1;
  EXPECT_LT(std::chrono::steady_clock::now() - sent, 15s) << ended.out << ended.err;
  bool complete = ended.exit_code == 0 && std::string(stage.name) == "Releasing";  // all was measured by then
  EXPECT_TRUE(ended.exit_code == 130 || ended.exit_code == 5 || complete) << ended.exit_code << ended.out << ended.err;
  EXPECT_TRUE(began || *stage.failpoint || all_rows_open()) << "neither a teardown nor an open row after a second: " << ended.err;
  EXPECT_EQ(vault({"resources"}).exit_code, ended.exit_code == 5 ? 5 : 0) << ended.out << ended.err;
  count("began_within_a_second", began);
  expect_kept(1);
}

std::vector<Stage> stages() {
  return {{"Creating", "{}.create=sleep:1000", "none", false, ""},
          {"Waiting", "", "none", true, ""},
          {"Running", "", "auto", true, "-layer: execute"},
          {"Releasing", "{}.destroy=sleep:700", "auto", true, "-layer: release"}};
}
std::vector<Signal> signals() {
  return {{"Interrupt", SIGINT, false},
          {"TwoInterrupts", SIGINT, true},
          {"Terminate", SIGTERM, false},
          {"HangUp", SIGHUP, false},
          {"ClosedTerminal", 0, false}};
}
std::string stop_name(const testing::TestParamInfo<std::tuple<Stage, Signal>>& info) {
  return std::string(std::get<1>(info.param).name) + "While" + std::get<0>(info.param).name;
}
INSTANTIATE_TEST_SUITE_P(By, Stopped, testing::Combine(testing::ValuesIn(stages()), testing::ValuesIn(signals())), stop_name);

}  // namespace

#endif
