#include <gtest/gtest.h>

#include "tests/support/faulty_device.hpp"

using namespace vt;

namespace {

checks::Outcome test_memory(gpu::Device& device, nlohmann::json args) {
  test::QuietReporter quiet;
  args["mib"] = 2;
  return checks::test_memory(test::cpu_task(std::move(args)), device, quiet);
}

std::string text(const checks::Outcome& out, const char* name) { return out.values.at(name).get<std::string>(); }

constexpr const char* kPatterns[] = {"address", "walking", "random", "inversions", "checkers", "random_inversions"};

}  // namespace

TEST(MemoryTest, FindsNothingInSoundMemory) {
  test::FaultyDevice device;
  auto out = test_memory(device, {});
  EXPECT_EQ(out.error, "");
  EXPECT_EQ(out.device, "GPU-a");
  EXPECT_EQ(out.values["wrong"], 0);
  EXPECT_EQ(text(out, "found"), "none");
  EXPECT_EQ(text(out, "bits"), "none");
  EXPECT_EQ(out.values["passes"], 1);
  EXPECT_DOUBLE_EQ(out.values["tested_pct"], 100);
  EXPECT_GT(out.values["speed"].get<double>(), 0);
  EXPECT_GT(out.values["copy"].get<double>(), 0);
}

TEST(MemoryTest, GoesOnForItsTime) {
  test::FaultyDevice device;
  auto out = test_memory(device, {{"seconds", 0.05}, {"patterns", "walking"}});
  EXPECT_GT(out.values["passes"].get<int>(), 1);
  EXPECT_GE(out.values["seconds"].get<double>(), 0.05);
}

TEST(MemoryTest, RefusesPatternsThatDoNotExist) {
  test::FaultyDevice device;
  EXPECT_EQ(test_memory(device, {{"patterns", "adress"}}).error, "args.patterns names no pattern: adress");
}

class MemoryPattern : public testing::TestWithParam<const char*> {};

TEST_P(MemoryPattern, FindsTheBitThatIsTurnedOver) {
  test::FaultyDevice device;
  auto out = test_memory(device, {{"patterns", GetParam()}, {"fault", true}});
  EXPECT_EQ(out.error, "");
  EXPECT_GE(out.values["wrong"].get<int>(), 1);
  EXPECT_NE(text(out, "found").find("bit 21:"), std::string::npos) << text(out, "found");
}

/// A cell that cannot hold a zero in bit 17.
TEST_P(MemoryPattern, FindsAStuckBitAndNamesItsPlace) {
  test::FaultyDevice device;
  constexpr std::uint64_t kOffset = 0x12340;
  device.after_work = [&] {
    if (!device.allocated.empty()) *reinterpret_cast<std::uint64_t*>(device.allocated[0].first + kOffset) |= 1ULL << 17;
  };
  auto out = test_memory(device, {{"patterns", GetParam()}});
  EXPECT_GE(out.values["wrong"].get<int>(), 1);
  EXPECT_NE(text(out, "found").find("byte 0x0000000000012340 "), std::string::npos) << text(out, "found");
  EXPECT_EQ(text(out, "bits").substr(0, 7), "bit 17:");
  EXPECT_EQ(text(out, "bits").find("0 for 1"), std::string::npos) << text(out, "bits");
}

INSTANTIATE_TEST_SUITE_P(All, MemoryPattern, testing::ValuesIn(kPatterns), [](auto& p) { return std::string(p.param); });

/// An address line that does nothing: the upper half is the lower one.
TEST(MemoryTest, FindsCellsThatAnswerForOthers) {
  test::FaultyDevice device;
  device.after_work = [&] {
    if (device.allocated.empty()) return;
    auto [at, bytes] = device.allocated[0];
    std::memcpy(at + bytes / 2, at, bytes / 2);
  };
  auto out = test_memory(device, {{"patterns", "address"}});
  EXPECT_EQ(out.values["wrong"], 2 * 1024 * 1024 / 8) << "half of the words, for the pattern and for its complement";
}
