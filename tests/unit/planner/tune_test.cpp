#include "orchestrator/planner/tune.hpp"

#include <gtest/gtest.h>

#include "tests/unit/planner/fixture.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;

Check gemm() {
  auto check = make_check("gemm.bf16");
  check.how = AgentRun{"gemm", {{"size", 2048}, {"seconds", 5}}};
  check.timeout = 20s, check.typical = 6s;
  check.levels[Level::standard] = {{{"size", 8192}, {"seconds", 30}}, 60s, 35s};
  return check;
}

const Values& args(const Check& check) { return std::get<AgentRun>(check.how).args; }

TEST(Tune, TheRowsOwnAtItsLevel) {
  auto check = tuned(gemm(), {}, Level::quick);
  EXPECT_EQ(args(check), (Values{{"size", 2048}, {"seconds", 5}}));
  EXPECT_EQ(check.timeout, 20s);
}

TEST(Tune, AStandInIsNotKeptBusyForLong) {
  auto row = gemm();
  row.burn = true;
  Layer layer;
  layer.burn = 12h;
  layer.params["gemm.bf16"] = {{"size", 64}};
  auto check = brief(row, layer);
  EXPECT_EQ(args(check), (Values{{"size", 64}, {"seconds", 5}})) << "what the plan sets stays";
  EXPECT_EQ(check.timeout, 20s);
}

TEST(Tune, ALevelNotMentionedTakesTheOneBelow) {
  for (auto level : {Level::standard, Level::full}) {
    auto check = tuned(gemm(), {}, level);
    EXPECT_EQ(args(check).at("size"), Value(8192));
    EXPECT_EQ(check.timeout, 60s);
    EXPECT_EQ(check.typical, 35s);
  }
  auto row = gemm();
  row.levels[Level::full] = {{}, {}, 40s};
  EXPECT_EQ(args(tuned(row, {}, Level::full)).at("size"), Value(2048)) << "a level's block stands on the row, not on the one below";
  EXPECT_EQ(tuned(row, {}, Level::full).timeout, 20s);
}

TEST(Tune, BurnSetsTheSecondsAndMovesTheTimes) {
  Layer layer;
  layer.burn = 2h;
  auto row = gemm();
  EXPECT_EQ(args(tuned(row, layer, Level::standard)).at("seconds"), Value(30)) << "it does not say burn: true";
  row.burn = true;
  auto check = tuned(row, layer, Level::standard);
  EXPECT_EQ(args(check).at("seconds"), Value(7200));
  EXPECT_EQ(check.timeout, 2h + 30s);
  EXPECT_EQ(check.typical, 2h + 5s);
}

TEST(Tune, ParamsWinAndProgramsAreLeftAlone) {
  Layer layer;
  layer.params["gemm.bf16"] = {{"size", 512}};
  EXPECT_EQ(args(tuned(gemm(), layer, Level::full)).at("size"), Value(512));
  auto program = make_check("gemm.bf16");
  program.how = CommandRun{{"true"}};
  EXPECT_EQ(std::get<CommandRun>(tuned(program, layer, Level::full).how).argv.size(), 1U);
}

TEST(Tune, TheRunPlanCarriesIt) {
  Plan plan;
  Catalogue catalogue;
  catalogue.checks = {gemm()};
  catalogue.suites = {{"gpu", "", {"gemm.bf16"}, {}}};
  plan.layers = {make_layer("a", {"gpu"}), make_layer("b", {"gpu"})};
  plan.layers[1].params["gemm.bf16"] = {{"size", 1}};
  auto run = make_run_plan(plan, catalogue, {}, {});
  ASSERT_TRUE(run);
  EXPECT_EQ(args(*run->layers[0].checks[0].check).at("size"), Value(8192)) << "plans run at level standard";
  EXPECT_EQ(args(*run->layers[1].checks[0].check).at("size"), Value(1));
  EXPECT_EQ(run->layers[0].low, 35s);
  auto quick = make_run_plan(plan, catalogue, {}, {{}, {}, {}, Level::quick});
  ASSERT_TRUE(quick);
  EXPECT_EQ(args(*quick->layers[0].checks[0].check).at("size"), Value(2048));
}

}  // namespace
}  // namespace vt
