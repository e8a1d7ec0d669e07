#include <gtest/gtest.h>

#include "remote-agent/checks/disk_fio.hpp"

using namespace vt;
using checks::read_fio;

namespace {

/// As fio 3.33 writes it, with what is not read left out.
std::string report(const std::string& read, const std::string& write, const std::string& sync = "{}", int error = 0) {
  return R"({"fio version": "fio-3.33", "jobs": [{"jobname": "vault-test", "error": )" + std::to_string(error) + R"(, "read": )" + read +
         R"(, "write": )" + write + R"(, "sync": )" + sync + "}]}";
}
std::string side(const std::string& bytes, const std::string& rate, const std::string& iops) {
  return R"({"io_bytes": )" + bytes + R"(, "bw_bytes": )" + rate + R"(, "iops": )" + iops +
         R"(, "clat_ns": {"percentile": {"50.000000": 90000, "99.000000": 250000}}})";
}
const std::string kNothing = R"({"io_bytes": 0, "bw_bytes": 0, "iops": 0.0, "clat_ns": {"min": 0}})";

}  // namespace

TEST(Fio, TheSideThatTheJobUsedIsRead) {
  auto seen = read_fio(report(side("4096000", "2000000000", "488281.25"), kNothing), {"randread", {}});
  ASSERT_TRUE(seen) << seen.error().what;
  EXPECT_EQ(seen->bytes, 4096000U);
  EXPECT_DOUBLE_EQ(seen->bytes_per_second, 2e9);
  EXPECT_DOUBLE_EQ(seen->per_second, 488281.25);
  EXPECT_DOUBLE_EQ(seen->p50_us, 90);
  EXPECT_DOUBLE_EQ(seen->p99_us, 250);
  EXPECT_FALSE(read_fio(report(side("1", "1", "1"), kNothing), {"randwrite", {}}));
}

TEST(Fio, TheLatencyOfFsyncHasAPlaceOfItsOwn) {
  auto sync = R"({"lat_ns": {"percentile": {"50.000000": 1500000, "99.000000": 8224768}}})";
  auto seen = read_fio(report(kNothing, side("4096", "4096", "1"), sync), {"write", {}, true});
  ASSERT_TRUE(seen) << seen.error().what;
  EXPECT_DOUBLE_EQ(seen->p99_us, 8224.768);
}

TEST(Fio, WarningsBeforeTheReportArePassedOver) {
  EXPECT_TRUE(read_fio("fio: unable to lock\n" + report(side("1", "1", "1"), kNothing), {"read", {}}));
}

TEST(Fio, WhatIsNoMeasurementIsAnError) {
  for (auto& text :
       {std::string("fio: engine libaio not loadable\n"), std::string(), std::string("{}"), std::string(R"({"jobs": []})"),
        std::string(R"({"jobs": [{"error": "x"}]})"), report(kNothing, kNothing), report(side("1", "1", "1"), kNothing, "{}", 5)})
    EXPECT_FALSE(read_fio(text, {"read", {}})) << text;
}
