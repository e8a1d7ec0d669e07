// P1: kill -9 at every point where the orchestrator touches the world while it has hosts in the clouds. Whatever it leaves is gone after
// reap, or used again and gone after resume.
#include <algorithm>
#include <fstream>
#include <set>

#include "promise.hpp"
#include "tests/support/failpoint_names.hpp"
#include "tests/support/figures.hpp"

using namespace vt::test;

#ifdef VT_FAILPOINTS

namespace {

struct Group {
  const char* name;
  std::vector<std::string> prefixes;
  int hosts;
  friend std::ostream& operator<<(std::ostream& out, const Group& g) { return out << g.name << " with " << g.hosts; }
};

/// Moments that the long suite tries for each failpoint, spread over the times it is reached.
constexpr int kLongMoments = 25;

/// Name -> how often it stands in a log of failpoints.
std::map<std::string, int> times_reached(const std::string& log) {
  std::ifstream lines(log);
  std::map<std::string, int> out;
  for (std::string line; std::getline(lines, line);) ++out[line];
  return out;
}

class Killed : public Promise, public testing::WithParamInterface<Group> {
 protected:
  Killed() : Promise("P1") {}
  void SetUp() override {
    Promise::SetUp();
    begin({"auto", "", 0});
  }

  static std::vector<std::string> failpoints() {
    std::vector<std::string> out;
    for (auto& prefix : GetParam().prefixes)
      for (auto name : vt::kFailpoints)
        if (name.starts_with(prefix)) out.emplace_back(name);
    return out;
  }

  /// Both clouds side by side, unless the failpoint is one cloud's.
  std::string plan_for(const std::string& provider) {
    std::vector<std::string> layers;
    for (auto name : {"gcp", "runpod"})
      if (provider.empty() || provider == name) layers.push_back(layer(name, GetParam().hosts));
    return plan_of(layers);
  }
  static std::string provider_of(const std::string& failpoint) {
    for (auto name : {"gcp", "runpod"})
      if (failpoint.starts_with(std::string(name) + ".")) return name;
    return "";
  }

  /// How often a run that nothing disturbs reaches each of them.
  std::map<std::string, int> counts(const std::string& provider) {
    program->environment["VAULT_TEST_FAILPOINT_LOG"] = program->path("reached");
    auto whole = vault({"run", plan_for(provider)});
    EXPECT_EQ(whole.exit_code, 0) << whole.out << whole.err;
    auto out = times_reached(program->path("reached"));
    expect_kept(GetParam().hosts);
    return out;
  }

  static std::set<int> moments(int times) {
    std::set<int> out;
    if (!long_run()) return GetParam().hosts == 1 ? std::set{1, (times + 1) / 2} : std::set{(3 * times + 3) / 4};
    for (int i = 0; i < kLongMoments; ++i) out.insert(1 + static_cast<int>(static_cast<long>(times - 1) * i / (kLongMoments - 1)));
    return out;
  }

  void kill_at(const std::string& failpoint, const std::string& provider, int n, bool resumed) {
    SCOPED_TRACE(failpoint + "=kill@" + std::to_string(n) + " " + provider);
    forget_state();
    program->environment["VAULT_TEST_FAILPOINT"] = failpoint + "=kill@" + std::to_string(n);
    auto killed = vault({"run", plan_for(provider)});
    EXPECT_TRUE(killed.exit_code == 137 || (n > 1 && killed.exit_code == 0)) << killed.exit_code << killed.out << killed.err;
    count("kills", killed.exit_code == 137);
    program->environment.clear();
    if (resumed) vault({"resume", "last"}), count("resumes");
    expect_kept(GetParam().hosts);
  }
};

TEST_P(Killed, ThenReapedLeavesNothing) {
  std::map<std::string, std::map<std::string, int>> reached;  // provider -> failpoint -> times
  int scenario = 0;
  for (auto& failpoint : failpoints()) {
    auto provider = provider_of(failpoint);
    if (!reached.contains(provider)) reached[provider] = counts(provider);
    int times = reached[provider][failpoint];
    EXPECT_GT(times, 0) << "no run reaches " << failpoint;
    for (int n : moments(times)) kill_at(failpoint, provider, n, ++scenario % 3 == 0);
    note_failpoint(failpoint, times > 0);
  }
}

std::vector<Group> groups() {
  std::vector<Group> out;
  for (int hosts : {1, 5}) {
    out.push_back({"Files", {"store.", "ledger.", "key.", "layer.", "run."}, hosts});
    out.push_back({"Hosts", {"tcp.", "http.", "ssh.", "agent."}, hosts});
    out.push_back({"Gcp", {"gcp."}, hosts});
    out.push_back({"RunPod", {"runpod."}, hosts});
  }
  return out;
}
std::string group_name(const testing::TestParamInfo<Group>& info) { return info.param.name + std::to_string(info.param.hosts); }
INSTANTIATE_TEST_SUITE_P(At, Killed, testing::ValuesIn(groups()), group_name);

/// reap is killed in its turn, wherever it touches the world, and goes on the next time. In the long suite after a crash at each of the
/// failpoints at which things may be left in the clouds, else after one.
class ReapKilled : public Promise, public testing::WithParamInterface<std::string> {
 protected:
  ReapKilled() : Promise("P1") {}

  static std::vector<std::string> crashes() {
    bool gcp = GetParam() == "gcp";
    if (!long_run()) return {gcp ? "gcp.host_key" : "runpod.poll"};
    std::vector<std::string> out{"ledger.before_commit", "ledger.after_commit", "http.send"};
    for (auto name : vt::kFailpoints)
      if (name.starts_with(GetParam() + ".") && !has(std::string(name), "destroy") && !has(std::string(name), "lease"))
        out.emplace_back(name);
    return out;
  }

  /// Something to reap, as a run that was killed there leaves it.
  void crash(const std::string& failpoint, int nth) {
    forget_state();
    program->environment["VAULT_TEST_FAILPOINT"] = failpoint + "=kill@" + std::to_string(nth);
    EXPECT_EQ(vault({"run", plan_of({layer(GetParam(), 1)})}).exit_code, 137);
    program->environment.clear();
  }
  std::map<std::string, int> calm_reap() {
    program->environment["VAULT_TEST_FAILPOINT_LOG"] = program->path("reached");
    vault({"reap"});
    expect_kept(1);
    return times_reached(program->path("reached"));
  }
  void kill_reap(const std::string& crashed, int nth, const std::string& failpoint, int times) {
    for (int n = long_run() ? 1 : (times + 1) / 2; n <= (long_run() ? times : (times + 1) / 2); ++n) {
      SCOPED_TRACE("run " + crashed + "=kill@" + std::to_string(nth) + ", reap " + failpoint + "=kill@" + std::to_string(n));
      crash(crashed, nth);
      program->environment["VAULT_TEST_FAILPOINT"] = failpoint + "=kill@" + std::to_string(n);
      count("reaps_killed", vault({"reap"}).exit_code == 137);
      expect_kept(1);
    }
  }
};

TEST_P(ReapKilled, GoesOnTheNextTime) {
  begin();
  for (auto& crashed : crashes()) {
    int nth = crashed.starts_with("ledger.") ? 4 : crashed == "http.send" ? 12 : 1;  // the host is there by then
    crash(crashed, nth);
    for (auto& [failpoint, times] : calm_reap()) kill_reap(crashed, nth, failpoint, times);
  }
}
INSTANTIATE_TEST_SUITE_P(At, ReapKilled, testing::Values("gcp", "runpod"), [](auto& test) { return test.param; });

}  // namespace

#endif
