// What can be wrong with GPUs, each through the user's command: the verdict, the message and the advice.
#include <gtest/gtest.h>

#include <sstream>

#include "kernels/images.hpp"
#include "tests/scenario/gpu/fake_host.hpp"

using vt::test::FakeHost;

namespace {

class GpuFault : public testing::Test {
 protected:
  void SetUp() override {
    if (auto reason = vt::test::why_no_fake_host(); !reason.empty()) GTEST_SKIP() << reason;
  }

  /// Without the line breaks of the report.
  static std::string one_line(const std::string& text) {
    std::istringstream in(text);
    std::string out;
    for (std::string word; in >> word;) out += (out.empty() ? "" : " ") + word;
    return out;
  }

  /// The check must fail, say all of `parts` and give advice.
  static void fails(FakeHost& host, const std::string& id, const std::vector<std::string>& parts, const std::string& params = "") {
    auto ended = host.check(id, params);
    EXPECT_EQ(ended.exit_code, 1) << ended.out << ended.err;
    auto report = one_line(ended.out);
    for (auto& part : {"FAIL " + id, std::string(" why: "), std::string(" do: ")})
      EXPECT_NE(report.find(part), std::string::npos) << ended.out;
    for (auto& part : parts) EXPECT_NE(report.find(part), std::string::npos) << "no '" << part << "' in\n" << ended.out;
  }
};

}  // namespace

TEST_F(GpuFault, FallsOffTheBusDuringATest) {
  if (vt::kernels::compiler().empty()) GTEST_SKIP() << "there was no nvcc when this was built";
  FakeHost host(2);
  host.gpus.fault_lost(1, 0);
  fails(host, "cuda.native", {"measured ok, XID 79: fell off the bus", "(#1)"});
}

TEST_F(GpuFault, CountsUncorrectedErrors) {
  if (vt::kernels::compiler().empty()) GTEST_SKIP() << "there was no nvcc when this was built";
  FakeHost host(2);
  host.gpus.fault_ecc(1, true, 3, 0);
  fails(host, "cuda.native", {"measured ok, 3 uncorrected ECC errors", "(#1)"});
}

TEST_F(GpuFault, IsThrottledByHeat) {
  if (vt::kernels::compiler().empty()) GTEST_SKIP() << "there was no nvcc when this was built";
  FakeHost host(2);
  host.gpus.fault_throttle(0, 0x40);
  fails(host, "cuda.native", {"measured hw thermal slowdown", "(#0)"});
}

TEST_F(GpuFault, TakesDamageOnItsLink) {
  FakeHost host(2);
  host.gpus.fault({{"kind", "corrupt-copy"}, {"gpu", 1}, {"where", "h2d"}, {"after", 0}});
  fails(host, "pcie.link", {"required 0", "Reseat the card"}, "{seconds: 0.1, mib: 4}");
}

TEST_F(GpuFault, LosesDataBetweenTwoGpus) {
  FakeHost host(3);
  host.gpus.all_p2p();
  host.gpus.fault_corrupt_p2p(1, 2);
  fails(host, "links.integrity", {"GPU 1 (GPU-5090f00d-0000-4000-8000-000000000001) -> GPU 2", "1 of 131072 words wrong", "iommu=pt"},
        "{mib: 1}");
}

TEST_F(GpuFault, ComputesAWrongElement) {
  FakeHost host(1);
  host.gpus.fault_wrong_element(0, "vt_gemm_f32", 4, 3, 6);
  fails(host, "gemm.correct", {"required 0", "Take the GPU out of use"}, "{size: 64, repeats: 2}");
}

TEST_F(GpuFault, HangsInAnAllReduce) {
  FakeHost host(3);
  host.gpus.fault({{"kind", "nccl-hang"}, {"gpu", 2}, {"where", "all_reduce"}, {"after", 5}});
  fails(host, "nccl.all_reduce", {"ok, hung in all_reduce", "(#2)"}, "{mib: [0.1], patience: 0.5}");
}

TEST_F(GpuFault, HasADriverOfTwoVersions) {
  FakeHost host(1);
  host.gpus.fault_driver_mismatch();
  fails(host, "drv.init", {"803"});
}

TEST_F(GpuFault, IsOneBoardShownAsFour) {
  FakeHost host(1);
  host.gpus.time_slice(4);
  fails(host, "gpu.inventory", {"time-sliced: 4 logical on 1 physical"});
}
