#include <filesystem>

#include "fixture.hpp"
#include "orchestrator/store/store_impl.hpp"
#include "sqlite_raw.hpp"

using namespace vt;
using namespace vt::test;

namespace {

SeriesRow power(const std::string& run) {
  SeriesRow s;
  s.run = run, s.layer = "cube", s.host = "h", s.check = "burn.power", s.name = "power", s.unit = "W", s.device = "GPU-1";
  s.count = 3, s.min = 400.25, s.mean = 450, s.max = 575.5;
  s.points = {{0, 400.25}, {1000, 575.5}};
  return s;
}

}  // namespace

TEST(Series, ComeBackAsTheyWere) {
  TempDir dir;
  ManualClock clock;
  auto store = must(Store::open(dir.state(), clock));
  RunRow row;
  row.id = "r1";
  LayerRow layer;
  layer.run = "r1", layer.name = "cube";
  must(store->add_run(row, {layer}, {}));
  must(store->add_series({}));
  must(store->add_series({power("r1")}));
  auto back = must(store->series("r1"));
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].layer + back[0].host + back[0].check + back[0].name + back[0].unit + back[0].device, "cubehburn.powerpowerWGPU-1");
  EXPECT_EQ(back[0].count, 3U);
  EXPECT_EQ(back[0].min, 400.25);
  EXPECT_EQ(back[0].max, 575.5);
  ASSERT_EQ(back[0].points.size(), 2U);
  EXPECT_EQ(back[0].points[1].ms, 1000);
  EXPECT_EQ(back[0].points[1].value, 575.5);
  EXPECT_FALSE(store->add_series({power("no such run")}));
}

TEST(Series, AStoreOfTheFirstSchemaGetsThem) {
  TempDir dir;
  ManualClock clock;
  std::filesystem::create_directory(dir.state());
  std::filesystem::permissions(dir.state(), std::filesystem::perms::owner_all);
  auto file = dir.state() + "/results.db";
  auto schema = kResultsSchema;
  schema.steps.resize(1);
  must(Database::open(file, Database::Access::write, schema));
  auto store = must(Store::open(dir.state(), clock));
  EXPECT_EQ(sql(file, "PRAGMA user_version"), std::to_string(kResultsSchema.steps.size()));
  EXPECT_TRUE(must(store->series("none")).empty());
}
