#include <gtest/gtest.h>

#include "tests/support/faulty_device.hpp"

using namespace vt;

TEST(SelfTest, EveryCheckerFindsItsFault) {
  auto device = gpu::open_cpu();
  test::QuietReporter quiet;
  auto out = checks::prove_checkers(test::cpu_task(), *device, quiet);
  EXPECT_EQ(out.error, "");
  EXPECT_GE(out.values.size(), 5U);
  for (auto& [name, found] : out.values.items()) EXPECT_EQ(found, "found") << name;
}

TEST(SelfTest, ACheckerThatMissesItsFaultIsNamed) {
  test::FaultyDevice device;
  device.ignored = {"vt_memory_check"};  // a test that never looks
  test::QuietReporter quiet;
  auto out = checks::prove_checkers(test::cpu_task(), device, quiet);
  EXPECT_EQ(out.values["memory"], "missed");
  EXPECT_EQ(out.values["links"], "found");
}

TEST(SelfTest, ACheckerThatCannotRunIsNotFound) {
  test::FaultyDevice device;
  device.left = 0;
  test::QuietReporter quiet;
  auto out = checks::prove_checkers(test::cpu_task(), device, quiet);
  EXPECT_EQ(out.values["memory"].get<std::string>().find("not run: "), 0U);
}
