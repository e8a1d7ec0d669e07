#include "orchestrator/engine/series.hpp"

#include <gtest/gtest.h>

namespace vt {
namespace {

std::string metric(const std::string& name, double value, const std::string& device = "GPU-1") {
  return R"({"t":"metric","job":"j","seq":3,"name":")" + name + R"(","value":)" + std::to_string(value) + R"(,"unit":"W","device":")" +
         device + R"("})";
}

TEST(Series, OnePerNameAndDevice) {
  SeriesCollector all;
  all.take(metric("power", 400), 0);
  all.take(metric("power", 500), 1000);
  all.take(metric("power", 100, "GPU-2"), 1000);
  all.take(metric("temperature", 60), 1000);
  ObservationKey key;
  key.run = "r", key.layer = "l", key.host = "h", key.check = "burn.power", key.attempt = 2;
  auto rows = all.rows(key);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name + rows[0].device + rows[0].unit + rows[0].check, "powerGPU-1Wburn.power");
  EXPECT_EQ(rows[0].attempt, 2);
  EXPECT_EQ(rows[0].count, 2U);
  EXPECT_EQ(rows[0].min, 400);
  EXPECT_EQ(rows[0].mean, 450);
  EXPECT_EQ(rows[0].max, 500);
  ASSERT_EQ(rows[0].points.size(), 2U);
  EXPECT_EQ(rows[0].points[1].ms, 1000);
}

TEST(Series, NonsenseIsIgnored) {
  SeriesCollector all;
  for (auto frame : {"", "[]", "{}", R"({"t":"log","name":"a","value":1})", R"({"t":"metric","name":"","value":1})",
                     R"({"t":"metric","name":"a","value":"1"})", R"({"t":"metric","value":1})", R"({"t":"metric","name":7,"value":1})"})
    all.take(frame, 0);
  EXPECT_TRUE(all.rows({}).empty());
}

TEST(Series, LongOnesAreThinnedAndManyAreBounded) {
  SeriesCollector all;
  constexpr int kValues = 20'000;
  for (int i = 0; i < kValues; ++i) all.take(metric("power", i), i);
  auto row = all.rows({}).front();
  EXPECT_EQ(row.count, static_cast<std::uint64_t>(kValues));
  EXPECT_EQ(row.max, kValues - 1) << "of all values, not of those that were kept";
  EXPECT_LE(row.points.size(), SeriesCollector::kMostPoints);
  EXPECT_GE(row.points.size(), SeriesCollector::kMostPoints / 4);
  for (std::size_t i = 2; i < row.points.size(); ++i)
    EXPECT_EQ(row.points[i].ms - row.points[i - 1].ms, row.points[1].ms - row.points[0].ms) << "evenly spaced";
  for (int i = 0; i < 1000; ++i) all.take(metric("m" + std::to_string(i), 1), 0);
  EXPECT_EQ(all.rows({}).size(), SeriesCollector::kMostSeries);
}

}  // namespace
}  // namespace vt
