// Runs under fault plans drawn from a seed, and ended in ways drawn from it, too. Each can be had again: tests/scenario/promises/replay
// SEED.
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "promise.hpp"

using namespace vt::test;
using namespace std::chrono_literals;

namespace {

constexpr int kSeeds = 100, kLongSeeds = 1000, kSlices = 10;

class Random : public Promise, public testing::WithParamInterface<int> {
 protected:
  Random() : Promise("random") {}

  static bool has_ended(pid_t pid) {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
  }
  /// It is left alone, interrupted or killed; whatever still waits for a host that never comes is told to end, then killed.
  int end_somehow(pid_t pid, std::mt19937& random, int patience_ms) {
    auto how = random() % 3;
    auto until =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(how == 0 ? static_cast<unsigned>(patience_ms) : random() % 1500);
    while (std::chrono::steady_clock::now() < until && !has_ended(pid)) std::this_thread::sleep_for(20ms);
    kill(pid, how == 2 ? SIGKILL : SIGINT);
    auto code = program->wait(10).exit_code;
    count("killed", code == 137), count("interrupted", code == 130), count("ran_through", code == 0);
    return code;
  }

  void scenario(int seed) {
    SCOPED_TRACE("again: tests/scenario/promises/replay " + std::to_string(seed));
    std::mt19937 random(static_cast<unsigned>(seed));
    // Every fourth has hosts that can be entered; to the others only the APIs matter.
    begin({seed % 4 == 0 ? "auto" : "none", "random", seed});
    int hosts = 1 + static_cast<int>(random() % 2);
    int patience_ms = seed % 4 == 0 ? 8000 : 1500;
    auto pid = start({"run", plan_of({layer("gcp", hosts), layer("runpod", hosts)})});
    auto code = end_somehow(pid, random, patience_ms);
    SCOPED_TRACE(clouds.faults());
    EXPECT_TRUE(code == 0 || code == 3 || code == 5 || code == 130 || code == 137) << code;
    if (random() % 4 == 0) end_somehow(start({"resume", "last"}), random, patience_ms), count("resumes");
    expect_kept(hosts, 12);
  }
};

TEST_P(Random, FaultsLeaveNothing) {
  if (auto one = std::getenv("VAULT_TEST_SEED")) return GetParam() == 0 ? scenario(std::atoi(one)) : void();
  int slice = (long_run() ? kLongSeeds : kSeeds) / kSlices;
  for (int seed = GetParam() * slice; seed < (GetParam() + 1) * slice; ++seed) scenario(seed);
}
INSTANTIATE_TEST_SUITE_P(Slice, Random, testing::Range(0, kSlices));

}  // namespace
