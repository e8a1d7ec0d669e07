#include <gtest/gtest.h>

#include "providers/emulator/gcp/api.hpp"

namespace vt::emulator::gcp {

namespace {

const json kRow = {
    {"name", "vm1"}, {"id", "42"}, {"labels", {{"vt-install", "abc"}, {"run", "r1"}}}, {"scheduling", {{"preemptible", true}}}};

}  // namespace

TEST(GcpFilter, FieldsAreComparedByTheirText) {
  EXPECT_EQ(passes("", kRow), true);
  EXPECT_EQ(passes("labels.run=r1", kRow), true);
  EXPECT_EQ(passes("labels.run = \"r1\"", kRow), true);
  EXPECT_EQ(passes("labels.run=r2", kRow), false);
  EXPECT_EQ(passes("labels.nope=r1", kRow), false);
  EXPECT_EQ(passes("labels.run!=r2", kRow), true);
  EXPECT_EQ(passes("scheduling.preemptible=true", kRow), true);
  EXPECT_EQ(passes("labels.vt-install:*", kRow), true);
  EXPECT_EQ(passes("labels.vt-other:*", kRow), false);
  EXPECT_EQ(passes("name eq vm.*", kRow), true);
  EXPECT_EQ(passes("name ne vm.*", kRow), false);
}

TEST(GcpFilter, TermsAreJoinedByAndOrBlanks) {
  EXPECT_EQ(passes("labels.run=r1 labels.vt-install=abc", kRow), true);
  EXPECT_EQ(passes("(labels.run = \"r1\") AND (labels.vt-install = \"abc\")", kRow), true);
  EXPECT_EQ(passes("(labels.run = \"r1\") AND (labels.vt-install = \"xyz\")", kRow), false);
}

TEST(GcpFilter, WhatIsNotUnderstoodIsSaid) {
  EXPECT_EQ(passes("labels.run", kRow), std::nullopt);
  EXPECT_EQ(passes("a=b OR c=d", kRow), std::nullopt);
}

TEST(GcpBase64, GoesThereAndBack) {
  for (const char* text : {"", "a", "ab", "abc", "us-central1-b/vm1"}) EXPECT_EQ(unbase64(base64(text)), text);
}

TEST(GcpQuotaAndPrices, SpotCostsLessAndG4IsNotEverywhere) {
  const MachineType& g4 = *find_machine("g4-standard-48");
  const Zone& zone = *find_zone("us-central1-b");
  EXPECT_EQ(price(g4, zone, false, false).micro, 4'499'930);
  EXPECT_EQ(price(g4, zone, true, true).micro, 1'799'820 + 2500);
  EXPECT_TRUE(offered(g4, zone));
  EXPECT_FALSE(offered(g4, *find_zone("us-east4-a")));
  EXPECT_EQ(price(*find_disk("hyperdisk-balanced"), zone, 100).micro, 10959);  // 100 * 0.08 / 730
}

}  // namespace vt::emulator::gcp
