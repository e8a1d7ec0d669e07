#include "orchestrator/model/version.hpp"

#include <gtest/gtest.h>

using vt::Version;

namespace {
Version v(const char* text) { return Version::parse(text).value(); }
}  // namespace

TEST(Version, ComparesNumbersNotText) {
  EXPECT_LT(v("6.8"), v("6.13"));
  EXPECT_LT(v("6.8.0-45-generic"), v("6.13"));
  EXPECT_GT(v("570.133.20"), v("570.26"));
  EXPECT_EQ(v("12.8"), v("12.8.0"));
}

TEST(Version, FindsTheFirstDottedNumbers) {
  EXPECT_EQ(v("Docker version 24.0.5, build ced0996").text(), "24.0.5");
  EXPECT_EQ(v("1.").text(), "1");
  EXPECT_FALSE(Version::parse("unknown"));
  EXPECT_FALSE(Version::parse(""));
  EXPECT_FALSE(Version::parse("99999999999999999999.1"));
}

TEST(Version, PrefixCoversItsPatchReleases) {
  EXPECT_TRUE(v("12.8").is_prefix_of(v("12.8.1")));
  EXPECT_TRUE(v("12.8").is_prefix_of(v("12.8")));
  EXPECT_FALSE(v("12.8").is_prefix_of(v("12.80")));
  EXPECT_FALSE(v("12.8").is_prefix_of(v("12.9")));
}
