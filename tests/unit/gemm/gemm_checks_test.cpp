#include <gtest/gtest.h>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/gpu/cublaslt.hpp"
#include "remote-agent/gpu/open.hpp"
#include "tests/support/silent_reporter.hpp"

using namespace vt;
using nlohmann::json;

namespace {

checks::Outcome run(const char* name, json args) {
  auto device = gpu::open_cpu();
  test::SilentReporter report;
  args["device"] = "cpu";
  checks::Task task;
  task.args = std::move(args);
  return checks::find(name)->on_gpu(task, *device, report);
}

}  // namespace

TEST(GemmChecks, EveryTypeIsRightOnTheProcessor) {
  auto out = run("gemm.correct", json::object());
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(out.values["wrong"], 0) << out.values;
  EXPECT_EQ(out.values["types"],
            "fp64 (own), fp32 (own), tf32 (own), bf16 (own), fp16 (own), fp8 (own), fp8-e5m2 (own), nvfp4 (own), int8 (own)");
  EXPECT_EQ(out.values["lacking"], "cuBLASLt does not run on a processor");
  EXPECT_EQ(out.values["rung"], "cpu");
  EXPECT_GT(out.values["compared"].get<int>(), 9 * 64 * 64 * 2);
}

TEST(GemmChecks, AFaultIsFoundAndToldWhere) {
  auto out = run("gemm.correct", {{"fault", true}, {"type", "bf16"}});
  ASSERT_EQ(out.error, "");
  EXPECT_GE(out.values["wrong"], 1);
  EXPECT_EQ(out.values["first_wrong"].get<std::string>().substr(0, 14), "bf16 element (");
}

TEST(GemmChecks, RatesComeWithProof) {
  auto out = run("gemm.rate", {{"type", "fp32"}, {"batches", 3}});
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(out.values["wrong"], 0) << out.values;
  EXPECT_EQ(out.values["kernel"], "own, cpu");
  EXPECT_GT(out.values["tflops"], 0);
  EXPECT_LE(out.values["lowest"], out.values["tflops"]);
  EXPECT_GE(out.values["highest"], out.values["tflops"]);
  EXPECT_GE(run("gemm.rate", {{"type", "fp32"}, {"batches", 1}, {"fault", true}}).values["wrong"], 1);
}

TEST(GemmChecks, Int8IsExact) {
  auto out = run("gemm.rate", {{"type", "int8"}, {"batches", 1}});
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(out.values["wrong"], 0) << out.values;
  EXPECT_EQ(out.values["worst_error"], 0);
  EXPECT_GE(run("gemm.rate", {{"type", "int8"}, {"batches", 1}, {"fault", true}}).values["wrong"], 1);
}

TEST(GemmChecks, AnUnknownTypeIsSaid) { EXPECT_EQ(run("gemm.rate", {{"type", "fp5"}}).error, "args.type: no such type: 'fp5'"); }

TEST(CublasLt, DoesNotRunOnAProcessor) {
  auto device = gpu::open_cpu();
  auto opened = gpu::CublasLt::open(*device);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::not_found);
}
