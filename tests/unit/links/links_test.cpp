#include <gtest/gtest.h>

#include "remote-agent/checks/links_transfer.hpp"
#include "tests/support/faulty_device.hpp"

using namespace vt;

namespace {

/// Several GPUs, each with faults of its own.
struct Machine {
  explicit Machine(int gpus) {
    for (int i = 0; i < gpus; ++i) devices.push_back(std::make_unique<test::FaultyDevice>(i));
  }
  test::FaultyDevice& gpu(std::size_t i) { return static_cast<test::FaultyDevice&>(*devices[i]); }
  bool owns(std::size_t i, const void* p) {
    for (auto& [at, bytes] : gpu(i).allocated)
      if (p == at) return true;
    return false;
  }
  gpu::Devices devices;
  test::QuietReporter quiet;
};

std::vector<std::string> failing(const checks::Outcome& out) { return out.values.at("failing").get<std::vector<std::string>>(); }

}  // namespace

TEST(Pairs, AreAllOrderedOnes) {
  Machine three(3);
  auto pairs = checks::pairs_of(checks::pointers(three.devices));
  EXPECT_EQ(pairs.size(), 6U);
  EXPECT_EQ(pairs[0].text(), "GPU 0 (GPU-a) -> GPU 1 (GPU-b)");
  Machine one(1);
  EXPECT_EQ(checks::pairs_of(checks::pointers(one.devices)).size(), 1U);
}

TEST(LinksIntegrity, HoldsOnASoundMachine) {
  for (int gpus : {1, 2, 3}) {
    Machine machine(gpus);
    auto out = checks::links_integrity(test::cpu_task(), machine.devices, machine.quiet);
    auto pairs = gpus == 1 ? 1 : gpus * (gpus - 1);
    EXPECT_EQ(out.error, "");
    EXPECT_EQ(out.values["wrong"], 0);
    EXPECT_TRUE(failing(out).empty());
    EXPECT_EQ(out.values["pairs"].size(), static_cast<std::size_t>(pairs));
    EXPECT_EQ(out.values["transfers"], pairs * 2 * 3) << "two sizes: by the driver, through the host, and by the driver between peers";
  }
}

TEST(LinksIntegrity, ProvesPairsWithoutPeerAccess) {
  Machine machine(2);
  machine.gpu(0).peers = machine.gpu(1).peers = false;
  auto out = checks::links_integrity(test::cpu_task(), machine.devices, machine.quiet);
  EXPECT_EQ(out.values["peers"], 0);
  EXPECT_EQ(out.values["transfers"], 2 * 2 * 2);
  EXPECT_EQ(out.values["wrong"], 0);
}

/// An IOMMU that swallows what GPU 0 sends GPU 1, while CUDA reports success.
TEST(LinksIntegrity, NamesThePairWhoseCopiesAreDropped) {
  Machine machine(3);
  machine.gpu(0).drops = [&](const void* to, const void* from) { return machine.owns(1, to) && machine.owns(0, from); };
  auto out = checks::links_integrity(test::cpu_task(), machine.devices, machine.quiet);
  auto lines = failing(out);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].find("GPU 0 (GPU-a) -> GPU 1 (GPU-b), copy, 8 bytes: 1 of 1 words wrong, first at byte 0: expected 0x"), 0U)
      << lines[0];
  EXPECT_NE(lines[0].find("the old data is still there: the copy was dropped and success reported"), std::string::npos) << lines[0];
  EXPECT_NE(lines[3].find("copy with peer access, 1048576 bytes"), std::string::npos) << lines[3];
}

TEST(LinksIntegrity, FindsTheBitThatIsTurnedOver) {
  Machine machine(2);
  auto out = checks::links_integrity(test::cpu_task({{"fault", true}}), machine.devices, machine.quiet);
  EXPECT_EQ(out.values["wrong"], out.values["transfers"]);
  EXPECT_EQ(failing(out)[0].find("dropped"), std::string::npos) << "the data did come";
}

TEST(P2pIntegrity, HoldsByCopyAndByKernels) {
  Machine machine(2);
  auto out = checks::p2p_integrity(test::cpu_task(), machine.devices, machine.quiet);
  EXPECT_EQ(out.error, "");
  EXPECT_EQ(out.values["wrong"], 0);
  EXPECT_EQ(out.values["transfers"], 2 * 3 * 2);
}

TEST(P2pIntegrity, FindsKernelsWhoseWritesAreLost) {
  Machine machine(2);
  machine.gpu(1).ignored = {"vt_copy_wide"};  // sends to GPU 0 by writing, and gets from GPU 0 by reading
  auto lines = failing(checks::p2p_integrity(test::cpu_task(), machine.devices, machine.quiet));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].find("GPU 0 (GPU-a) -> GPU 1 (GPU-b), read by kernel with peer access, 1048576 bytes"), 0U) << lines[0];
  EXPECT_EQ(lines[1].find("GPU 1 (GPU-b) -> GPU 0 (GPU-a), write by kernel with peer access, 1048576 bytes"), 0U) << lines[1];
}

TEST(P2pIntegrity, ProvesNothingWithoutPeers) {
  Machine machine(2);
  machine.gpu(0).peers = false;
  EXPECT_EQ(checks::p2p_integrity(test::cpu_task(), machine.devices, machine.quiet).error, "no pair of GPUs here offers peer access");
}
