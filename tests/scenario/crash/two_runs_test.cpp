// Two orchestrators share a state folder.
#include <signal.h>

#include "scene.hpp"

using namespace vt::test;

namespace {

class TwoRuns : public Scene {};

TEST_F(TwoRuns, SideBySideBothComplete) {
  Program second;
  second.catalogue = program.catalogue;
  second.state_folder = program.state();
  auto plan = plan_of({pod_layer("c.pass, c.warn, c.once")});
  program.start({"run", plan});
  second.start({"run", plan});
  auto one = program.wait(), two = second.wait();
  for (auto& ended : {one, two}) {
    EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    EXPECT_FALSE(has(ended.out + ended.err, "locked") || has(ended.out + ended.err, "busy")) << ended.out << ended.err;
    EXPECT_TRUE(has(ended.out, "COMPLETE")) << ended.out;
  }
  EXPECT_EQ(machine_readable({"runs", "--json"}).size(), 2U);
  EXPECT_EQ(integrity(program.state() + "/results.db"), "ok");
  EXPECT_EQ(integrity(program.state() + "/ledger.db"), "ok");
  expect_nothing_left();
}

TEST_F(TwoRuns, ReapLeavesTheOtherOnesHostAlone) {
  auto pid = program.start({"run", plan_of({pod_layer("c.slow")})});
  ASSERT_TRUE(program.saw("pod: execute")) << program.err();
  Program second;
  second.state_folder = program.state();
  auto reaped = second.run({"reap"});
  EXPECT_EQ(reaped.exit_code, 5) << reaped.out;
  EXPECT_TRUE(has(reaped.out, "in use by a running vault-test")) << reaped.out;
  EXPECT_EQ(second.run({"resume", "last"}).exit_code, 2) << "it still runs";
  kill(pid, SIGINT);
  EXPECT_EQ(program.wait().exit_code, 130);
  expect_nothing_left();
}

}  // namespace
