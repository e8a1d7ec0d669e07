#include <gtest/gtest.h>

#include "tests/unit/planner/fixture.hpp"

namespace vt {
namespace {

using Ids = std::vector<std::string>;

Catalogue catalogue() {
  Catalogue c;
  c.checks = {make_check("os.release"), make_check("os.kernel", "", {"os.release"}), make_check("os.swap"),
              make_check("gpu.count"),  make_check("gpu.soak", "", {"gpu.count"}),   make_check("net.dns")};
  c.checks[4].level = Level::full;
  c.suites = {{"os", "", {"os.kernel", "os.swap"}, {}}, {"gpu", "", {"gpu.soak", "gpu.count", "os.swap"}, {}}};
  return c;
}

TEST(SelectChecks, FollowsTheSuitesInOrderWithoutDuplicates) {
  auto all = catalogue();
  EXPECT_EQ(ids(select_checks(make_layer("a", {"gpu", "os"}), all, {})), (Ids{"gpu.count", "os.swap", "os.release", "os.kernel"}));
}

TEST(SelectChecks, PutsADependencyFirstEvenFromOutsideTheSelection) {
  auto all = catalogue();
  EXPECT_EQ(ids(select_checks(make_layer("a", {"os"}), all, {{}, {}, {"os.kernel"}, {}})), (Ids{"os.release", "os.kernel"}));
}

TEST(SelectChecks, SurvivesChecksThatDependOnEachOther) {
  Catalogue loop;
  loop.checks = {make_check("a", "", {"b"}), make_check("b", "", {"a"})};
  loop.suites = {{"s", "", {"a"}, {}}};
  EXPECT_EQ(ids(select_checks(make_layer("l", {"s"}), loop, {})), (Ids{"b", "a"}));
}

TEST(SelectChecks, LeavesOutWhatIsAboveTheLevel) {
  auto all = catalogue();
  auto layer = make_layer("a", {"gpu"});
  EXPECT_EQ(ids(select_checks(layer, all, {})), (Ids{"gpu.count", "os.swap"}));
  layer.level = Level::full;
  EXPECT_EQ(ids(select_checks(layer, all, {})), (Ids{"gpu.count", "gpu.soak", "os.swap"}));
  EXPECT_EQ(ids(select_checks(layer, all, {{}, {}, {}, Level::quick})), (Ids{"gpu.count", "os.swap"})) << "the selection's level wins";
}

TEST(SelectChecks, TakesSingleChecksUnlessSuitesAreSelected) {
  auto all = catalogue();
  auto layer = make_layer("a", {"os"});
  layer.checks = {"net.dns"};
  EXPECT_EQ(ids(select_checks(layer, all, {{}, {}, {"*.dns"}, {}})), (Ids{"net.dns"}));
  EXPECT_EQ(ids(select_checks(layer, all, {{}, {"os"}, {}, {}})), (Ids{"os.release", "os.kernel", "os.swap"}));
  EXPECT_TRUE(select_checks(layer, all, {{}, {"gpu"}, {}, {}}).empty()) << "the layer does not have that suite";
}

}  // namespace
}  // namespace vt
