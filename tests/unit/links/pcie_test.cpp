#include <gtest/gtest.h>

#include "remote-agent/checks/meet.hpp"
#include "remote-agent/checks/pcie_link.hpp"
#include "tests/support/faulty_device.hpp"

using namespace vt;
using checks::PcieLink;

namespace {

using Check = checks::Outcome (*)(const checks::Task&, gpu::Device&, checks::Reporter&);

checks::Outcome run(Check check, gpu::Device& device, nlohmann::json args = {}) {
  test::QuietReporter quiet;
  args["mib"] = 1, args["samples"] = 1;
  return check(test::cpu_task(std::move(args)), device, quiet);
}

struct Row {
  const char* name;
  Check check;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

class HostCopyCheck : public testing::TestWithParam<Row> {};

}  // namespace

TEST_P(HostCopyCheck, IsMeasuredAndVerified) {
  test::FaultyDevice device;
  auto out = run(GetParam().check, device);
  EXPECT_EQ(out.error, "");
  EXPECT_EQ(out.values["wrong"], 0);
  EXPECT_EQ(out.values["found"], "none");
  EXPECT_GT(out.values[out.values.contains("value") ? "value" : "d2h"].get<double>(), 0);
}

TEST_P(HostCopyCheck, FindsTheBitThatIsTurnedOver) {
  test::FaultyDevice device;
  auto out = run(GetParam().check, device, {{"fault", true}});
  EXPECT_GE(out.values["wrong"].get<int>(), 1);
  EXPECT_EQ(out.values["found"].get<std::string>().substr(0, 27), "1 of 131072 words wrong, fi");
}

TEST_P(HostCopyCheck, FindsCopiesThatNeverHappen) {
  test::FaultyDevice device;
  // all but those of the reports themselves, which go to memory that the check has not allocated
  device.drops = [&](const void* to, const void* from) {
    auto ours = [&](const void* p) {
      for (auto& [at, bytes] : device.allocated)
        if (p == at && bytes >= 1024 * 1024) return true;
      return false;
    };
    return ours(to) || ours(from);
  };
  EXPECT_GE(run(GetParam().check, device).values["wrong"].get<int>(), 131072);
}

INSTANTIATE_TEST_SUITE_P(All, HostCopyCheck,
                         testing::Values(Row{"h2d", checks::copy_to_device}, Row{"d2h", checks::copy_to_host},
                                         Row{"bidir", checks::copy_both_ways}, Row{"pageable", checks::copy_pageable},
                                         Row{"all", checks::copy_on_all}),
                         [](auto& row) { return row.param.name; });

TEST(PcieAll, WaitsForTheOtherGpus) {
  test::FaultyDevice device;
  test::QuietReporter report;
  auto task = test::cpu_task({{"mib", 1}});
  task.world = 2;
  EXPECT_EQ(checks::copy_on_all(task, device, report).error, "rank 1 did not come to turn0");
  report.told = {"turn0/1", "turn1/1"};
  EXPECT_EQ(checks::copy_on_all(task, device, report).error, "rank 1 did not come to h2d");
  report.told.insert("h2d/1");
  EXPECT_EQ(checks::copy_on_all(task, device, report).error, "rank 1 did not come to d2h");
  report.told.insert("d2h/1");
  EXPECT_EQ(checks::copy_on_all(task, device, report).error, "");
}

// PCI-SIG: 32 GT/s x 16 lanes x 128/130 / 8
TEST(PcieLink, CarriesWhatItsGenerationAndWidthSay) {
  EXPECT_NEAR((PcieLink{5, 16, 5, 16}.gb_s()), 63.02, 0.005);
  EXPECT_NEAR((PcieLink{4, 16, 4, 16}.gb_s()), 31.51, 0.005);
  EXPECT_NEAR((PcieLink{3, 16, 3, 16}.gb_s()), 15.75, 0.005);
  EXPECT_NEAR((PcieLink{1, 4, 5, 16}.gb_s()), 1.0, 0.005);
  EXPECT_EQ((PcieLink{99, 16, 5, 16}.gb_s()), 0);
}

TEST(PcieLink, TellsWhatItLacks) {
  EXPECT_EQ((PcieLink{5, 8, 5, 16}.generation_lack()), "ok");
  EXPECT_EQ((PcieLink{5, 8, 5, 16}.width_lack()), "width 8 of 16");
  EXPECT_EQ((PcieLink{1, 16, 5, 16}.generation_lack()), "generation 1 of 5");
  EXPECT_EQ((PcieLink{1, 16, 5, 16}.width_lack()), "ok");
  EXPECT_EQ((PcieLink{1, 4, 5, 16}.text()), "gen 1 x4 of at most gen 5 x16");
}

TEST(PcieLink, IsNoneOfTheProcessor) {
  test::FaultyDevice device;
  EXPECT_EQ(run(checks::pcie_link, device, {{"seconds", 0}}).error, "the processor has no PCIe link");
  EXPECT_EQ(run(checks::copy_to_device, device).values["link"], "unknown: the processor has no PCIe link");
  EXPECT_EQ(run(checks::copy_to_device, device).values["of_link"], "n/a");
}
