// A person or the system ends a run early, at moments when something is half done.
#include <signal.h>

#include <chrono>
#include <thread>

#include "scene.hpp"

using namespace vt::test;
using namespace std::chrono_literals;

namespace {

struct Stop {
  const char* name;
  int signal;
  bool twice;
  const char* seen;       ///< in the progress, when it is sent
  const char* failpoint;  ///< what holds the run at that moment, if something must
  const char* pod_checks;
  friend std::ostream& operator<<(std::ostream& out, const Stop& s) { return out << s.name; }
};

constexpr const char* kQuick = "c.pass";
constexpr const char* kSlow = "c.pass, c.slow";
constexpr const char* kCreating = "container.created=sleep:700";
constexpr const char* kReleasing = "container.destroy=sleep:700";

class Stopped : public Scene, public testing::WithParamInterface<Stop> {
 protected:
  /// As a terminal does it: to the whole group.
  static void send(pid_t pid, int signal) { kill(signal == SIGINT ? -pid : pid, signal); }

  void TearDown() override {
    if (pid_ > 0) kill(-pid_, SIGKILL);
    Scene::TearDown();
  }
  pid_t pid_ = -1;
};

TEST_P(Stopped, GivesBackAndSaysSo) {
  auto& stop = GetParam();
#ifndef VT_FAILPOINTS
  if (*stop.failpoint) GTEST_SKIP() << "this build has no failpoints to hold the run with";
#endif
  if (*stop.failpoint) program.environment["VAULT_TEST_FAILPOINT"] = stop.failpoint;
  pid_ = program.start({"run", plan_of({pod_layer(stop.pod_checks), box_layer(kSlow)})});
  ASSERT_TRUE(program.saw(stop.seen)) << program.err();
  auto sent = std::chrono::steady_clock::now();
  send(pid_, stop.signal);
  if (stop.twice) std::this_thread::sleep_for(100ms), send(pid_, stop.signal);
  auto ended = program.wait(60);
  EXPECT_LT(std::chrono::steady_clock::now() - sent, 15s);
  EXPECT_TRUE(ended.exit_code == 130 || ended.exit_code == 5) << ended.exit_code << ended.out << ended.err;
  program.environment.clear();
  if (ended.exit_code == 5) EXPECT_EQ(program.run({"resources"}).exit_code, 5) << "left behind, and not shown";
  else EXPECT_EQ(program.run({"resources"}).exit_code, 0) << ended.out;
  expect_nothing_left();
}

std::vector<Stop> stops() {
  std::vector<Stop> out;
  for (bool twice : {false, true}) {
    auto name = twice ? "TwoInterrupts" : "Interrupt";
    out.push_back({name, SIGINT, twice, "pod: acquire", kCreating, kQuick});
    out.push_back({name, SIGINT, twice, "box: execute", "", kSlow});
    out.push_back({name, SIGINT, twice, "pod: release", kReleasing, kQuick});
  }
  out.push_back({"Terminate", SIGTERM, false, "box: execute", "", kSlow});
  out.push_back({"HangUp", SIGHUP, false, "box: execute", "", kSlow});
  return out;
}
std::string stop_name(const testing::TestParamInfo<Stop>& info) {
  auto seen = std::string(info.param.seen);
  return std::string(info.param.name) + "In" + seen.substr(seen.find(' ') + 1);
}
INSTANTIATE_TEST_SUITE_P(By, Stopped, testing::ValuesIn(stops()), stop_name);

}  // namespace
