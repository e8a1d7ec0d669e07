// kill -9 at every point where the orchestrator touches the world, then what a person does: resume, reap, look.
#include <algorithm>

#include "scene.hpp"
#include "tests/support/failpoint_names.hpp"
#include "tests/support/figures.hpp"

using namespace vt::test;

#ifdef VT_FAILPOINTS

namespace {

class Killed : public Scene, public testing::WithParamInterface<std::string> {
 protected:
  /// How often a run that nothing disturbs reaches the failpoint.
  int count() {
    program.environment["VAULT_TEST_FAILPOINT_LOG"] = program.path("reached");
    auto whole = program.run({"run", plan_});
    EXPECT_EQ(whole.exit_code, 0) << whole.out << whole.err;
    EXPECT_EQ(verdicts(), all_well());
    program.environment.clear();
    return times_reached(GetParam());
  }

  static std::vector<int> moments(int times) {
    std::vector<int> out{1, (times + 1) / 2, times};
    if (long_run())
      for (int n = 1; n <= times; ++n) out.push_back(n);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  void kill_at(int n) {
    SCOPED_TRACE(GetParam() + "=kill@" + std::to_string(n));
    start_afresh();
    program.environment["VAULT_TEST_FAILPOINT"] = GetParam() + "=kill@" + std::to_string(n);
    auto killed = program.run({"run", plan_});
    if (n == 1) EXPECT_EQ(killed.exit_code, 137) << killed.out << killed.err;
    else
      EXPECT_TRUE(killed.exit_code == 137 || killed.exit_code == 0)
          << killed.exit_code << killed.out << killed.err;  // 0: fewer reads this time
    auto after = go_on();
    EXPECT_EQ(after.exit_code, 0) << after.out << after.err;
    EXPECT_EQ(verdicts(), all_well());
    EXPECT_EQ(starts(), 1) << "the detached check on the box";
    expect_nothing_left();
  }
};

TEST_P(Killed, IsResumedAndLeavesNothing) {
  int times = count();
  ASSERT_GT(times, 0) << "no run reaches this failpoint";
  for (int n : moments(times)) kill_at(n);
  note_failpoint(GetParam(), true);
}

std::string failpoint_name(const testing::TestParamInfo<std::string>& info) {
  auto name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(At, Killed, testing::ValuesIn(local_failpoints()), failpoint_name);

}  // namespace

#endif
