#include "remote-agent/checks/disk_smart.hpp"

#include <gtest/gtest.h>

using namespace vt::checks;

namespace {

/// Pages made up for the purpose, laid out as the specification says; no drive has sent them.
void put(SmartPage& page, std::size_t at, std::size_t bytes, std::uint64_t value) {
  for (std::size_t i = 0; i < bytes; i++) page[at + i] = i < sizeof value ? static_cast<std::uint8_t>(value >> (8 * i)) : std::uint8_t{0};
}

SmartPage healthy() {
  SmartPage page{};
  put(page, 1, 2, 311), put(page, 3, 1, 100), put(page, 4, 1, 10), put(page, 5, 1, 2);
  put(page, 128, 16, 8760), put(page, 144, 16, 12);
  return page;
}

}  // namespace

TEST(Smart, AHealthyPage) {
  auto smart = read_smart(healthy());
  EXPECT_EQ(smart.critical_warning, 0U);
  EXPECT_EQ(smart.temperature_c, 38);
  EXPECT_EQ(smart.spare_percent, 100U);
  EXPECT_EQ(smart.spare_threshold_percent, 10U);
  EXPECT_EQ(smart.used_percent, 2U);
  EXPECT_EQ(smart.power_on_hours, 8760U);
  EXPECT_EQ(smart.unsafe_shutdowns, 12U);
  EXPECT_EQ(smart.media_errors, 0U);
}

TEST(Smart, AWornDriveThatLosesData) {
  auto page = healthy();
  put(page, 0, 1, 0b101), put(page, 3, 1, 4), put(page, 5, 1, 137), put(page, 160, 16, 0x1'0000'0007ULL);
  auto smart = read_smart(page);
  EXPECT_EQ(smart.critical_warning, 5U);
  EXPECT_EQ(smart.spare_percent, 4U);
  EXPECT_EQ(smart.used_percent, 137U);
  EXPECT_EQ(smart.media_errors, 0x1'0000'0007ULL);
}

TEST(Smart, TemperatureIsInKelvinAndMayBeBelowZero) {
  auto page = healthy();
  put(page, 1, 2, 263);
  EXPECT_EQ(read_smart(page).temperature_c, -10);
}
