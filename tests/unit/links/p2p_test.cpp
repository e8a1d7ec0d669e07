#include <gtest/gtest.h>

#include "tests/support/faulty_device.hpp"

using namespace vt;

namespace {

gpu::Devices machine(int gpus, bool peers) {
  gpu::Devices out;
  for (int i = 0; i < gpus; ++i) {
    auto device = std::make_unique<test::FaultyDevice>(i);
    device->peers = peers;
    out.push_back(std::move(device));
  }
  return out;
}

}  // namespace

TEST(P2pBandwidth, IsAFigureForEveryPair) {
  auto devices = machine(3, true);
  test::QuietReporter quiet;
  auto out = checks::p2p_bandwidth(test::cpu_task(), devices, quiet);
  EXPECT_EQ(out.error, "");
  EXPECT_EQ(out.values["value"].size(), 6U);
  EXPECT_EQ(out.values["both_ways"].size(), 3U);
  EXPECT_EQ(out.values["wrong"], 0);
  for (auto& speed : out.values["value"]) EXPECT_GT(speed.get<double>(), 0);
  auto table = out.values["table"].get<std::string>();
  EXPECT_EQ(table.find("GB/s one way, without peer access\n           GPU 0     GPU 1     GPU 2\nGPU 0          -"), 0U) << table;
  EXPECT_NE(table.find("GB/s both ways together, with peer access"), std::string::npos) << table;
}

TEST(P2pBandwidth, IsMeasuredWithoutPeerAccessToo) {
  auto devices = machine(2, false);
  test::QuietReporter quiet;
  auto out = checks::p2p_bandwidth(test::cpu_task(), devices, quiet);
  EXPECT_EQ(out.values["peers"], 0);
  EXPECT_EQ(out.values["value"], out.values["without"]);
  EXPECT_EQ(out.values["table"].get<std::string>().find(", with peer access"), std::string::npos);
}

TEST(P2pBandwidth, IsNoFigureOfWrongData) {
  auto devices = machine(2, true);
  test::QuietReporter quiet;
  auto out = checks::p2p_bandwidth(test::cpu_task({{"fault", true}}), devices, quiet);
  EXPECT_EQ(out.values["wrong"], 8) << "each pair one way and both ways, without and with peer access";
  EXPECT_EQ(out.values["failing"][0].get<std::string>().find("GPU 0 (GPU-a) -> GPU 1 (GPU-b), without peer access: 1 of"), 0U);
}

TEST(P2pLatency, IsMeasuredByCopyAndByKernel) {
  auto devices = machine(2, true);
  test::QuietReporter quiet;
  auto out = checks::p2p_latency(test::cpu_task(), devices, quiet);
  EXPECT_EQ(out.error, "");
  EXPECT_EQ(out.values["value"].size(), 2U);
  EXPECT_EQ(out.values["read"].size(), 2U);
  EXPECT_EQ(out.values["wrong"], 0);
  EXPECT_NE(out.values["table"].get<std::string>().find("microseconds of a read by kernel"), std::string::npos);
}
