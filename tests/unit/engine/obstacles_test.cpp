#include "orchestrator/engine/obstacles.hpp"

#include <gtest/gtest.h>

using namespace vt;

namespace {

struct World {
  Layer layer;
  HostSpec access;
  Capabilities facts;
  std::map<std::string, Verdict> so_far;
  Check check;
  bool stopped = false, late = false;

  World() {
    check.id = "disk.verify";
    fact("host.users", Value(0), "nobody");
    fact("gpu.processes", Value(0), "none");
  }
  void fact(const std::string& id, std::optional<Value> value, const std::string& evidence) {
    facts.set({id, std::move(value), evidence, {}, {}});
  }
  [[nodiscard]] std::optional<Judgement> ask() const { return obstacle(check, {}, {layer, access, facts, so_far, stopped, late}); }
};

}  // namespace

TEST(Obstacles, NoneByDefault) { EXPECT_FALSE(World().ask()); }

TEST(Obstacles, AbsentCapabilityIsASkipWithEvidence) {
  World w;
  w.check.needs = Requirement::parse("kernel.modules").value();
  w.fact("kernel.modules", Value(false), "CapEff lacks CAP_SYS_MODULE");
  auto found = w.ask();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->verdict, Verdict::skip);
  EXPECT_EQ(found->capability, "kernel.modules");
  EXPECT_EQ(found->evidence, "CapEff lacks CAP_SYS_MODULE");
}

TEST(Obstacles, UnknownCapabilityIsAnErrorNotASkip) {
  World w;
  w.check.needs = Requirement::parse("kernel.modules").value();
  w.fact("kernel.modules", std::nullopt, "status unreadable");
  EXPECT_EQ(w.ask()->verdict, Verdict::error);
  EXPECT_EQ(w.ask()->cause, Cause::capability);
}

TEST(Obstacles, AFailedDependencyBlocks) {
  World w;
  w.check.after = {"disk.present"};
  w.so_far["disk.present"] = Verdict::fail;
  EXPECT_EQ(w.ask()->verdict, Verdict::blocked);
  EXPECT_EQ(w.ask()->cause, Cause::dependency);
  w.so_far["disk.present"] = Verdict::skip;
  EXPECT_FALSE(w.ask());
}

TEST(Obstacles, TheOperatorAndTheClockCancel) {
  World w;
  w.stopped = true;
  EXPECT_EQ(w.ask()->cause, Cause::operator_);
  w.stopped = false, w.late = true;
  EXPECT_EQ(w.ask()->verdict, Verdict::cancelled);
  EXPECT_EQ(w.ask()->cause, Cause::budget);
  w.late = false, w.layer.skip = {"disk.*"};
  EXPECT_EQ(w.ask()->verdict, Verdict::skip);
  EXPECT_EQ(w.ask()->cause, Cause::operator_);
}

TEST(Obstacles, DisruptiveChecksLeaveOthersAlone) {
  World w;
  w.check.disruptive = true;
  EXPECT_FALSE(w.ask());
  w.fact("host.users", Value(1), "alice on pts/0");
  EXPECT_EQ(w.ask()->verdict, Verdict::blocked);
  w.access.exclusive = true;
  EXPECT_FALSE(w.ask());
  w.access.exclusive = false;
  w.fact("host.users", Value(0), "nobody");
  w.fact("gpu.processes", std::nullopt, "some /proc/PID/fd unreadable");
  EXPECT_EQ(w.ask()->verdict, Verdict::blocked) << "not knowing is no permission";
}
