#include <gtest/gtest.h>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/soak_load.hpp"
#include "remote-agent/gpu/open.hpp"
#include "tests/support/silent_reporter.hpp"

using namespace vt;

namespace {

checks::Outcome burn(nlohmann::json args) {
  auto device = gpu::open_cpu();
  test::SilentReporter report;
  checks::Task task;
  args["device"] = "cpu";
  task.args = std::move(args);
  return checks::soak_burn(task, *device, report);
}

}  // namespace

TEST(Soak, ComparesEveryResult) {
  auto out = burn({{"seconds", 0.05}, {"every", 0.1}});
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(out.values["wrong"], 0) << out.values;
  EXPECT_GE(out.values["products"], 2);
  EXPECT_GE(out.values["derived"], 1);
  EXPECT_GT(out.values["tflops"], 0);
  EXPECT_GT(out.values["stability"], 0);
  EXPECT_EQ(out.values["kernel"], "own, cpu");
}

TEST(Soak, PausesInASquareWave) {
  auto out = burn({{"seconds", 0.05}, {"hz", 50}});
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(out.values["wrong"], 0) << out.values;
}

TEST(Soak, AFaultIsFound) {
  auto out = burn({{"seconds", 0}, {"fault", true}});
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(out.values["wrong"], 1);
  EXPECT_EQ(out.values["first_wrong"].get<std::string>().substr(0, 14), "fp32 element (");
}

/// The reference is not trusted for ever, nor are the operands: each is told apart by what differs.
TEST(Soak, WhatChangesInMemoryShows) {
  auto device = gpu::open_cpu();
  auto load = checks::SoakLoad::make(*device, nullptr, {64, 64, 64}).take();
  EXPECT_EQ(load.proof().wrong(), 0U);
  auto* a = static_cast<float*>(const_cast<void*>(load.problem().wide_a()));
  a[70] += 1;  // row 1
  ASSERT_TRUE(load.start(2));
  auto round = load.finish().take();
  EXPECT_GT(round.wrong, 2U * 20);
  EXPECT_EQ(round.first.substr(0, 14), "product, word ");
  a[70] -= 1;
  ASSERT_TRUE(load.start(1));
  EXPECT_LE(load.finish().take().wrong, round.wrong / 2);  // counted afresh
  ASSERT_TRUE(load.spoil());
  EXPECT_EQ(load.derive_again().take().elements, 1U);
}

TEST(Soak, CoolingNeedsAThermometer) {
  test::SilentReporter report;
  checks::Task task;
  EXPECT_EQ(checks::soak_cooldown(task, report).error, "no GPU tells its temperature");
}
