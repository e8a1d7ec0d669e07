#include "remote-agent/checks/mem_taken.hpp"

#include <gtest/gtest.h>

#include "tests/support/faulty_device.hpp"

using namespace vt;
using checks::take_memory;

namespace {
constexpr std::uint64_t kMib = 1024 * 1024;

checks::Task gpu_task(nlohmann::json args) {
  checks::Task task;
  task.args = std::move(args);
  return task;
}
}  // namespace

TEST(TakenMemory, LeavesTheReserve) {
  test::FaultyDevice device;
  device.left = 20 * kMib;
  auto taken = take_memory(device, gpu_task({{"reserve_mib", 4}})).take();
  EXPECT_EQ(taken.free, 20 * kMib);
  EXPECT_EQ(taken.bytes, 16 * kMib);
  EXPECT_EQ(device.left, 4 * kMib);
}

TEST(TakenMemory, ComesInPiecesWhereItIsScattered) {
  test::FaultyDevice device;
  device.left = 20 * kMib, device.largest = 5 * kMib;
  auto taken = take_memory(device, gpu_task({{"reserve_mib", 2}})).take();
  EXPECT_EQ(taken.bytes, 18 * kMib);
  EXPECT_GT(taken.pieces.size(), 3U);
  for (auto& piece : taken.pieces) EXPECT_LE(piece.bytes(), 5 * kMib);
}

TEST(TakenMemory, CanBeLimited) {
  test::FaultyDevice device;
  auto taken = take_memory(device, gpu_task({{"reserve_mib", 1}, {"mib", 6}})).take();
  EXPECT_EQ(taken.bytes, 6 * kMib);
  EXPECT_EQ(taken.free, 7 * kMib) << "what the limit leaves counts as all there is";
}

TEST(TakenMemory, IsAnErrorWhereNothingIsFree) {
  test::FaultyDevice device;
  device.left = 100 * kMib;
  auto taken = take_memory(device, gpu_task({{"reserve_mib", 100}}));
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().what.find("no memory is free on GPU-a"), std::string::npos);
}

TEST(AllMemory, IsTakenAndTouched) {
  test::FaultyDevice device;
  device.left = 20 * kMib;
  test::QuietReporter quiet;
  auto out = checks::take_all_memory(gpu_task({{"reserve_mib", 4}}), device, quiet);
  EXPECT_EQ(out.error, "");
  EXPECT_DOUBLE_EQ(out.values["taken_pct"], 80);
  EXPECT_EQ(out.values["wrong"], 0);
}

TEST(AllMemory, ThatIsOneMemoryTwiceIsFound) {
  test::FaultyDevice device;
  device.left = 12 * kMib, device.largest = 4 * kMib;
  device.after_work = [&] {
    if (device.allocated.size() >= 2 && device.allocated[0].second == device.allocated[1].second)
      std::memcpy(device.allocated[1].first, device.allocated[0].first, device.allocated[0].second);
  };
  test::QuietReporter quiet;
  auto out = checks::take_all_memory(gpu_task({{"reserve_mib", 4}}), device, quiet);
  EXPECT_EQ(out.error, "");
  EXPECT_EQ(out.values["pieces"], 2);
  EXPECT_EQ(out.values["wrong"], 4 * kMib / 8);
}
