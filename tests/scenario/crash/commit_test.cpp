// kill -9 after every committed transaction: what was told is kept, what was kept is not done again.
#include <algorithm>
#include <sstream>

#include "scene.hpp"

using namespace vt::test;
using nlohmann::json;

#ifdef VT_FAILPOINTS

namespace {

class Acknowledged : public Scene {
 protected:
  void SetUp() override {
    Scene::SetUp();
    if (!IsSkipped()) small_ = plan_of({box_layer("c.pass, c.warn, c.once")});
  }

  int commits() {
    program.environment["VAULT_TEST_FAILPOINT_LOG"] = program.path("reached");
    EXPECT_EQ(program.run({"run", small_, "-q"}).exit_code, 0);
    program.environment.clear();
    return times_reached("store.after_commit");
  }

  /// Check -> verdict, as the event stream told it.
  static std::map<std::string, std::string> told(const std::string& stream) {
    std::map<std::string, std::string> out;
    std::istringstream lines(stream);
    for (std::string line; std::getline(lines, line);)
      if (auto event = json::parse(line, nullptr, false); event.is_object() && event["event"] == "check-judged")
        out[event["check"]] = event["verdict"];
    return out;
  }

  /// Check -> result, of those that have one.
  std::map<std::string, json> results() {
    std::map<std::string, json> out;
    auto report = machine_readable({"report", "--format", "json"});
    if (report.is_object())
      for (auto& result : report["results"])
        if (result["verdict"] != "no verdict") out[result["check"]] = result;
    return out;
  }

  void kill_after(int n) {
    SCOPED_TRACE("store.after_commit=kill@" + std::to_string(n));
    start_afresh();
    program.environment["VAULT_TEST_FAILPOINT"] = "store.after_commit=kill@" + std::to_string(n);
    auto killed = program.run({"run", small_, "--json"});
    ASSERT_EQ(killed.exit_code, 137) << killed.err;
    program.environment.clear();
    EXPECT_EQ(integrity(program.state() + "/results.db"), "ok");
    EXPECT_EQ(integrity(program.state() + "/ledger.db"), "ok");
    auto before = results();
    for (auto& [check, verdict] : told(killed.out))
      EXPECT_EQ(before[check].value("verdict", ""), verdict) << check << " was told and is not there";
    std::swap(plan_, small_);
    auto after = go_on();
    std::swap(plan_, small_);
    EXPECT_EQ(after.exit_code, 0) << after.out << after.err;
    auto now = results();
    EXPECT_EQ(now.size(), 3U);
    for (auto& [check, result] : now) EXPECT_EQ(result["attempt"], 1) << check << " was judged again";
    for (auto& [check, result] : before) EXPECT_EQ(now[check], result) << check << " was repeated";
    EXPECT_EQ(starts(), 1);
  }

  std::string small_;
};

TEST_F(Acknowledged, ResultsSurviveAKillAfterEveryCommit) {
  int all = commits();
  ASSERT_GT(all, 10);
  int step = long_run() ? 1 : all / 8;
  for (int n = 1; n <= all; n += step) kill_after(n);
  kill_after(all);
}

}  // namespace

#endif
