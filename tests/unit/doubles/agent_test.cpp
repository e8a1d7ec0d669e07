// The doubles under the shipped agent: several processes on one host, each GPU in its own.
#include <gtest/gtest.h>

#include "tests/support/fake_gpus.hpp"

using nlohmann::json;
using vt::test::FakeGpus;

TEST(FakeGpusUnderTheAgent, EveryGpuIsTestedAndTheFlawedOneIsTold) {
  FakeGpus gpus(3);
  gpus.fault_wrong_element(1, "vt_fill_words", 0, 80);
  auto values = gpus.values("cuda.nvrtc");
  ASSERT_EQ(values["gpu"].size(), 3U) << values;
  EXPECT_EQ(values["gpu"][2], "GPU-5090f00d-0000-4000-8000-000000000002");
  EXPECT_EQ(values["wrong"], json({0, 1, 0})) << values;
}

TEST(FakeGpusUnderTheAgent, OneThatHangsWhenItIsOpenedCostsTheOthersNothing) {
  FakeGpus gpus(2);
  gpus.fault_context_hang(1);
  auto values = json::parse(gpus.check("cuda.nvrtc", json::object(), 3000).values, nullptr, false);
  ASSERT_EQ(values["health"].size(), 2U) << values;
  EXPECT_EQ(values["health"][0], "ok");
  EXPECT_NE(values["health"][1].get<std::string>().find("hung"), std::string::npos) << values;
}
