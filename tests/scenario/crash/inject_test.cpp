// Errors and a full disk injected at every point where the orchestrator touches the world: the run ends by itself, says what
// failed, is never green by mistake, and leaves nothing.
#include <algorithm>

#include "scene.hpp"
#include "tests/support/failpoint_names.hpp"

using namespace vt::test;

#ifdef VT_FAILPOINTS

namespace {

struct Fault {
  std::string failpoint, action;
  friend std::ostream& operator<<(std::ostream& out, const Fault& f) { return out << f.failpoint << "=" << f.action; }
};

class Injected : public Scene, public testing::WithParamInterface<Fault> {
 protected:
  Ended run_with_fault(int n) {
    program.environment["VAULT_TEST_FAILPOINT"] = GetParam().failpoint + "=" + GetParam().action + "@" + std::to_string(n);
    program.environment["VAULT_TEST_FAILPOINT_LOG"] = program.path("reached");
    auto ended = program.run({"run", plan_});
    program.environment.clear();
    return ended;
  }

  /// A write that fails during an upload is told by what arrived on the other side.
  static bool names_the_cause(const std::string& said) {
    return has(said, "at " + GetParam().failpoint) || (GetParam().failpoint == "ssh.write" && has(said, "the upload to"));
  }

  void expect_honest(const Ended& ended) {
    auto& code = ended.exit_code;
    EXPECT_TRUE(code == 0 || code == 1 || code == 3 || code == 5) << code << ended.out << ended.err;
    if (code == 0) EXPECT_EQ(verdicts(), all_well()) << "green, and not everything was done";
    else EXPECT_TRUE(names_the_cause(ended.out + ended.err)) << "it does not say what failed: " << ended.out << ended.err;
  }

  void fault_at(int n) {
    SCOPED_TRACE("at time " + std::to_string(n));
    start_afresh();
    auto ended = run_with_fault(n);
    expect_honest(ended);
    expect_nothing_left();
    if (ended.exit_code == 0) return;
    auto after = go_on();
    EXPECT_EQ(after.exit_code, 0) << after.out << after.err;
    EXPECT_EQ(verdicts(), all_well());
    expect_nothing_left();
  }
};

TEST_P(Injected, EndsByItselfAndHonestly) {
  fault_at(1);
  ASSERT_GT(times_reached(GetParam().failpoint), 0) << "no run reaches this failpoint";
  if (!long_run()) return;
  for (int n = 2, all = times_reached(GetParam().failpoint); n <= all; ++n) fault_at(n);
}

std::vector<Fault> faults() {
  std::vector<Fault> out;
  for (auto action : {"err", "enospc"})
    for (auto& name : local_failpoints()) out.push_back({name, action});
  return out;
}
std::string fault_name(const testing::TestParamInfo<Fault>& info) {
  auto name = info.param.failpoint + "_" + info.param.action;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(At, Injected, testing::ValuesIn(faults()), fault_name);

}  // namespace

#endif
