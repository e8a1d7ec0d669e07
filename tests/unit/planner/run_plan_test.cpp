#include <gtest/gtest.h>

#include "tests/unit/planner/fixture.hpp"

namespace vt {
namespace {

using Ids = std::vector<std::string>;
using Forecast = PlannedCheck::Forecast;

Fact predicted(const std::string& id, std::optional<Value> value, const std::string& evidence) {
  return {id, std::move(value), evidence, FactOrigin::predicted, FactScope::host};
}

/// Two layers: "laptop" can load modules, "pod" cannot and says so; nobody knows about GPUs.
struct RunPlanTest : ::testing::Test {
  RunPlanTest() {
    catalogue.checks = {make_check("os.release"), make_check("module.load", "kernel.modules"), make_check("gpu.count", "gpu"),
                        make_check("p2p.integrity", "gpu.p2p")};
    catalogue.suites = {{"os", "", {"os.release", "module.load"}, {}}, {"gpu", "", {"gpu.count", "p2p.integrity"}, {}}};
    plan.layers = {make_layer("laptop", {"os", "gpu"}), make_layer("pod", {"os", "gpu"})};
    offers["laptop"].capabilities.set(predicted("kernel.modules", true, "own kernel"));
    offers["laptop"].capabilities.set(predicted("gpu.p2p", false, "one GPU"));
    offers["pod"].capabilities.set(predicted("kernel.modules", false, "pods share the host's kernel"));
    offers["pod"].capabilities.set(predicted("gpu.p2p", false, "5090: no P2P"));
  }
  Result<RunPlan> make(const Selection& selection = {}) { return make_run_plan(plan, catalogue, offers, selection); }
  static const PlannedCheck& find(const RunPlan& run, const std::string& layer, const std::string& check) {
    for (auto& l : run.layers)
      for (auto& c : l.checks)
        if (l.layer->name == layer && c.check->id == check) return c;
    ADD_FAILURE() << check << " is not planned on " << layer;
    static const PlannedCheck none;
    return none;
  }
  Plan plan;
  Catalogue catalogue;
  std::map<std::string, Offer> offers;
};

TEST_F(RunPlanTest, ForecastsSkipWithCapabilityEvidenceAndCover) {
  auto run = make();
  ASSERT_TRUE(run) << run.error().what;
  auto& skip = find(*run, "pod", "module.load");
  EXPECT_EQ(skip.forecast, Forecast::skip);
  EXPECT_EQ(skip.reason, "kernel.modules: pods share the host's kernel");
  EXPECT_EQ(skip.covered_by, Ids{"laptop"});
  EXPECT_EQ(find(*run, "laptop", "module.load").forecast, Forecast::run);
}

TEST_F(RunPlanTest, ABriefSelectionOverridesThePlansLevel) {
  catalogue.checks[0].levels[Level::full] = {{}, std::chrono::minutes(15), std::chrono::minutes(5)};
  for (auto& layer : plan.layers) layer.level = Level::full;
  EXPECT_EQ(find(make().value(), "pod", "os.release").check->timeout, std::chrono::minutes(15));
  Selection selection;
  selection.brief = true;
  EXPECT_EQ(find(make(selection).value(), "pod", "os.release").check->timeout, std::chrono::seconds(20));
}

TEST_F(RunPlanTest, UnknownCapabilitiesMayRunButCoverNothing) {
  plan.layers[1].skip = {"gpu.*"};
  auto run = make();
  ASSERT_TRUE(run);
  auto& unknown = find(*run, "laptop", "gpu.count");
  EXPECT_EQ(unknown.forecast, Forecast::unknown);
  EXPECT_EQ(unknown.reason, "gpu: not probed");
  auto& skip = find(*run, "pod", "gpu.count");
  EXPECT_EQ(skip.reason, "by the operator");
  EXPECT_TRUE(skip.covered_by.empty()) << "only a forecast `run` covers";
  EXPECT_EQ(run->unproven, Ids{"p2p.integrity"}) << "gpu.count may still run on the laptop";
}

TEST_F(RunPlanTest, NothingMeasuredOnlyIsEverUnproven) {
  catalogue.checks[3].severity = Severity::info;
  auto run = make();
  ASSERT_TRUE(run);
  EXPECT_EQ(run->unproven, Ids{});
}

TEST_F(RunPlanTest, ALayerThatCannotRunCoversNothing) {
  offers["laptop"].can_run = false;
  auto run = make();
  ASSERT_TRUE(run);
  EXPECT_TRUE(find(*run, "pod", "module.load").covered_by.empty());
  EXPECT_EQ(run->unproven, (Ids{"module.load", "p2p.integrity"}));
  EXPECT_FALSE(run->layers[0].can_run);
}

TEST_F(RunPlanTest, WhatTheUserDeclaresReplacesThePrediction) {
  plan.layers[1].declares["kernel.modules"] = true;
  auto run = make();
  ASSERT_TRUE(run);
  EXPECT_EQ(find(*run, "pod", "module.load").forecast, Forecast::run);
}

TEST_F(RunPlanTest, StagesFollowGatesAndLayersAreSortedByThem) {
  plan.layers = {make_layer("cube", {"os"}, {"gcp", "pod"}), make_layer("gcp", {"os"}), make_layer("pod", {"os"}, {"gcp"}),
                 make_layer("free", {"os"})};
  auto run = make();
  ASSERT_TRUE(run);
  Ids order;
  for (auto& l : run->layers) order.push_back(std::to_string(l.stage) + " " + l.layer->name);
  EXPECT_EQ(order, (Ids{"1 gcp", "1 free", "2 pod", "3 cube"}));
}

TEST_F(RunPlanTest, AGateOutsideTheSelectionIsLeftToHistory) {
  plan.layers[1].after = {{"laptop", {}}};
  auto run = make({{"pod"}, {}, {}, {}});
  ASSERT_TRUE(run);
  ASSERT_EQ(run->layers.size(), 1U);
  EXPECT_EQ(run->layers[0].stage, 1);
  EXPECT_EQ(run->layers[0].layer->after.size(), 1U) << "the engine still has to answer it";
}

TEST_F(RunPlanTest, TimeIsTheLongestPathAndCostTheSum) {
  plan.layers = {make_layer("a", {"os"}), make_layer("b", {"os"}), make_layer("c", {"os"}, {"a"})};
  for (auto& check : catalogue.checks) check.needs = {};
  offers["a"] = offers["c"] = {};
  offers["a"].start_low = Duration{5'000}, offers["a"].start_high = Duration{60'000};
  offers["b"] = {};
  offers["b"].hourly = Money{3'600'000};  // a tenth of a cent per second
  auto run = make();
  ASSERT_TRUE(run);
  EXPECT_EQ(run->layers[0].low, Duration{25'000}) << "5 s to start, two checks of 10 s";
  EXPECT_EQ(run->layers[0].high, Duration{100'000}) << "60 s, and two checks at their timeout of 20 s, below 3 x 10 s";
  EXPECT_EQ(run->low, Duration{45'000}) << "a then c; b runs beside them";
  EXPECT_EQ(run->high, Duration{140'000});
  EXPECT_EQ(run->cost_low, Money{20'000});
  EXPECT_EQ(run->cost_high, Money{40'000});
}

TEST_F(RunPlanTest, SkippedChecksTakeNoTime) {
  auto run = make({{"pod"}, {}, {"module.load"}, {}});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->high, Duration{0});
}

TEST_F(RunPlanTest, UnknownNamesInTheSelectionAreUsageErrorsWithTheNearestName) {
  for (auto& [selection, text] : std::vector<std::pair<Selection, std::string>>{
           {{{"latop"}, {}, {}, {}}, "no layer 'latop'; did you mean 'laptop'?"},
           {{{}, {"xyz-none"}, {}, {}}, "no suite 'xyz-none'; known: os, gpu"},
           {{{}, {}, {"gpu.cont"}, {}}, "no check matches 'gpu.cont'; did you mean 'gpu.count'?"}}) {
    auto run = make(selection);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, Errc::usage);
    EXPECT_EQ(run.error().what, text);
  }
}

TEST_F(RunPlanTest, ACycleOfGatesNamesItsLayers) {
  plan.layers = {make_layer("a", {"os"}, {"b"}), make_layer("b", {"os"}, {"a"}), make_layer("c", {"os"})};
  auto run = make();
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::usage);
  EXPECT_NE(run.error().what.find("a, b;"), std::string::npos) << run.error().what;
}

TEST_F(RunPlanTest, NothingSelectedIsAnError) {
  plan.layers[0].suites = plan.layers[1].suites = {"os"};
  auto run = make({{}, {"gpu"}, {}, {}});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::usage);
}

TEST_F(RunPlanTest, ALayerTheSelectionEmptiesIsDropped) {
  plan.layers[1].suites = {"os"};
  auto run = make({{}, {"gpu"}, {}, {}});
  ASSERT_TRUE(run);
  ASSERT_EQ(run->layers.size(), 1U);
  EXPECT_EQ(run->layers[0].layer->name, "laptop");
}

}  // namespace
}  // namespace vt
