#include <gtest/gtest.h>

#include "tests/support/fake_gpus.hpp"

using nlohmann::json;
using vt::test::FakeGpus;

TEST(Ddp, AllRanksEndWithOneModelThatHasLearned) {
  FakeGpus gpus(2);
  auto values = gpus.values("train.ddp", {{"steps", 30}}, 20'000);
  EXPECT_EQ(values["distinct_weights"], json({1, 1})) << values;
  EXPECT_EQ(values["health"], json({"ok", "ok"}));
  for (auto& ratio : values["ratio"]) EXPECT_LT(ratio, 0.8);
  for (auto& apart : values["apart"]) EXPECT_LT(apart, 1e-2);
  EXPECT_GT(values["efficiency"][0], 0.0);
  EXPECT_TRUE(values["efficiency"][1].is_null());  // measured on one GPU, while the others rested
}

TEST(Ddp, ASpoiltGradientOfOneRankShows) {
  FakeGpus gpus(2);
  auto values = gpus.values("train.ddp", {{"steps", 12}, {"fault", true}}, 20'000);
  EXPECT_EQ(values["distinct_weights"], json({2, 2})) << values;
}

TEST(Ddp, AWrongSumOfOneRankShows) {
  FakeGpus gpus(2);
  gpus.fault({{"kind", "nccl-wrong"}, {"gpu", 1}, {"where", "all_reduce"}, {"offset", 3}, {"bit", 5}});
  auto values = gpus.values("train.ddp", {{"steps", 12}}, 20'000);
  EXPECT_EQ(values["distinct_weights"], json({2, 2})) << values;
}
