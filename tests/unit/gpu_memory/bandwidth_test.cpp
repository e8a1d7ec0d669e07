#include <gtest/gtest.h>

#include "tests/support/faulty_device.hpp"

using namespace vt;

namespace {

checks::Outcome bandwidth(gpu::Device& device, nlohmann::json args) {
  test::QuietReporter quiet;
  args["mib"] = 1, args["samples"] = 2;
  return checks::memory_bandwidth(test::cpu_task(std::move(args)), device, quiet);
}

}  // namespace

TEST(MemoryBandwidth, IsMeasuredForEveryWayAndVerified) {
  test::FaultyDevice device;
  auto out = bandwidth(device, {});
  EXPECT_EQ(out.error, "");
  EXPECT_EQ(out.values["wrong"], 0);
  EXPECT_EQ(out.values["mib"], 1);
  for (auto* way : {"copy", "read", "write", "triad", "driver_copy"}) EXPECT_GT(out.values[way].get<double>(), 0) << way;
}

TEST(MemoryBandwidth, TakesWhatThreeArraysFitInto) {
  test::FaultyDevice device;
  device.left = 10 * 1024 * 1024;
  test::QuietReporter quiet;
  auto out = checks::memory_bandwidth(test::cpu_task({{"mib", 100}, {"samples", 1}}), device, quiet);
  EXPECT_EQ(out.error, "");
  EXPECT_EQ(out.values["mib"], 3);
}

TEST(MemoryBandwidth, FindsTheBitThatIsTurnedOver) {
  test::FaultyDevice device;
  // copied twice (by kernel and by driver), read, and part of a triad
  EXPECT_EQ(bandwidth(device, {{"fault", true}}).values["wrong"], 4);
}

class NotDone : public testing::TestWithParam<const char*> {};

TEST_P(NotDone, IsFound) {
  test::FaultyDevice device;
  device.ignored.insert(GetParam());
  EXPECT_GE(bandwidth(device, {}).values["wrong"].get<int>(), 1);
}

INSTANTIATE_TEST_SUITE_P(Kernels, NotDone, testing::Values("vt_copy_wide", "vt_read_wide", "vt_write_wide", "vt_triad_wide"),
                         [](auto& k) { return std::string(k.param); });
