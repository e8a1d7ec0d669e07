#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "remote-agent/checks/gpu_xid_history.hpp"
#include "remote-agent/gpu/xid.hpp"

using namespace vt::gpu;
using nlohmann::json;

TEST(Xid, ClassesSayWhatFailsACheck) {
  EXPECT_EQ(xid(79).kind, XidClass::fatal);
  EXPECT_EQ(xid(31).kind, XidClass::program);
  EXPECT_EQ(xid(63).kind, XidClass::warning);
  EXPECT_EQ(xid(106).kind, XidClass::notice);
  EXPECT_EQ(xid(9999).kind, XidClass::unknown);
  for (auto code : {79, 48, 119, 31, 13, 94}) EXPECT_TRUE(fails_a_check(code)) << code;  // 13 and 31 came from our own kernels
  for (auto code : {63, 92, 106, 154, 9999}) EXPECT_FALSE(fails_a_check(code)) << code;
}

TEST(Xid, TheTextSaysWhatToDo) {
  EXPECT_TRUE(told(79).starts_with("XID 79: fell off the bus (power the machine off and on")) << told(79);
  EXPECT_EQ(told(106), "XID 106: test message");
}

TEST(XidHistory, SortsTheKernelLogByClass) {
  auto found = vt::checks::xids_in(
      "3,1,1,-;NVRM: Xid (PCI:0000:41:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
      "3,2,2,-;NVRM: Xid (PCI:0000:41:00): 79, again\n"
      "3,3,3,-;NVRM: Xid (PCI:0000:01:00): 31, pid=99, name=python\n"
      "3,4,4,-;NVRM: Xid (PCI:0000:01:00): 63, Row Remapper\n"
      "3,5,5,-;NVRM: Xid (PCI:0000:01:00): 999, what\n"
      "3,6,6,-;NVRM: Xid (cut off");
  ASSERT_EQ(found["fatal"].size(), 1U);
  EXPECT_TRUE(found["fatal"][0].get<std::string>().ends_with("on PCI:0000:41:00"));
  EXPECT_EQ(found["programs"].size(), 1U);
  EXPECT_EQ(found["warnings"].size(), 1U);
  EXPECT_EQ(found["unknown"].size(), 1U);
}
