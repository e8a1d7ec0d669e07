// A plan with a GPU suite on a host whose GPUs do not exist, to the report.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kernels/images.hpp"
#include "tests/scenario/gpu/fake_host.hpp"

using vt::test::FakeHost;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST(GpuPlan, OfFourGpusIsReported) {
  if (vt::kernels::compiler().empty()) GTEST_SKIP() << "there was no nvcc when this was built";
  if (auto reason = vt::test::why_no_fake_host(); !reason.empty()) GTEST_SKIP() << reason;
  FakeHost host(4);
  auto plan = host.plan("vault-test: 1\nname: four\nlayers:\n  rig: {provider: local, checks: [drv.init, cuda.native, gpu.inventory]}\n");
  auto ended = host.run({"run", plan});
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "COMPLETE")) << ended.out;
  auto report = nlohmann::json::parse(host.run({"report", "--format", "json"}).out, nullptr, false).dump();
  for (auto* uuid : {"GPU-5090f00d-0000-4000-8000-000000000000", "GPU-5090f00d-0000-4000-8000-000000000003"})
    EXPECT_TRUE(has(report, uuid)) << report;
}
