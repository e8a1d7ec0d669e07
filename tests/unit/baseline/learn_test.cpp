#include "orchestrator/baseline/learn.hpp"

#include <gtest/gtest.h>

#include "orchestrator/baseline/load.hpp"
#include "orchestrator/baseline/measured.hpp"
#include "tests/support/temp_dir.hpp"

namespace vt {
namespace {

struct Learn : ::testing::Test {
  Learn() {
    check.id = "nccl.all_reduce";
    check.values = {{"value", ValueType::number, "GB/s", {}, {}, "nccl.all_reduce@512MiB"}, {"wrong", ValueType::integer, "", {}, {}, ""}};
    host.set({"driver.version", "575.57.08", "", {}, {}});
    host.set({"lib.nccl", "2.27.3", "", {}, {}});
    host.set({"host.serial", "secret", "", {}, {}});
  }
  Learnable seen(Value value, const std::string& device = "2 x NVIDIA GeForce RTX 5090 (GPU-1, GPU-2)", Verdict verdict = Verdict::info) {
    Learnable out{&check, {}, verdict, &host};
    out.seen.device = device;
    out.seen.values["value"] = std::move(value);
    out.seen.values["wrong"] = 0;
    return out;
  }
  Check check;
  Capabilities host;
};

TEST_F(Learn, TheRangeOverGpusAndHosts) {
  auto learned = learn({seen(Value::List{26.1, 27.5}), seen(25.0)}, "20261120-x", "2026-11-20");
  ASSERT_TRUE(learned) << learned.error().what;
  ASSERT_EQ(learned->size(), 1U);
  auto& baseline = learned->front();
  EXPECT_EQ(baseline.id, "nvidia-geforce-rtx-5090");
  EXPECT_EQ(baseline.facts,
            (std::map<std::string, std::string>{{"run", "20261120-x"}, {"driver.version", "575.57.08"}, {"lib.nccl", "2.27.3"}}));
  ASSERT_EQ(baseline.figures.size(), 1U);
  EXPECT_EQ(baseline.figures[0].low, 25.0);
  EXPECT_EQ(baseline.figures[0].high, 27.5);
  EXPECT_EQ(baseline.figures[0].gpus, 2);
  EXPECT_EQ(baseline.figures[0].mib, 512);
}

TEST_F(Learn, WhatIsWrittenIsReadAgain) {
  auto learned = learn({seen(Value::List{26.1, 27.5})}, "20261120-x", "2026-11-20");
  ASSERT_TRUE(learned);
  test::TempDir dir;
  test::write_file(dir / "mine.yaml", baseline_yaml(learned->front()));
  auto loaded = load_baselines({dir.path()});
  for (auto& problem : loaded.problems) ADD_FAILURE() << problem.text();
  ASSERT_EQ(loaded.baselines.gpus.size(), 1U);
  auto& figure = loaded.baselines.gpus[0].figures.at(0);
  EXPECT_EQ(figure.kind, Figure::Kind::learned);
  EXPECT_EQ(figure.low, 26.1);
  EXPECT_EQ(figure.sources, std::vector<std::string>{"20261120-x"});
  EXPECT_EQ(loaded.baselines.gpus[0].names, std::vector<std::string>{"NVIDIA GeForce RTX 5090"});
}

TEST_F(Learn, NothingFromTheProcessorRehearsalsAndFailures) {
  auto rehearsed = seen(30.0);
  rehearsed.seen.origin = EvidenceOrigin::rehearsal;
  auto learned = learn({seen(30.0, "cpu"), rehearsed, seen(30.0, "NVIDIA X (GPU-1)", Verdict::fail), seen(Value(), "NVIDIA X (GPU-1)"),
                        seen(30.0, "NVIDIA X (GPU-1), NVIDIA Y (GPU-2)")},
                       "r", "2026-11-20");
  ASSERT_FALSE(learned);
  EXPECT_EQ(learned.error().code, Errc::refused);
}

TEST(Measured, ReadsTheShippedFileAndTellsMistakes) {
  auto shipped = load_measurements(std::string(VT_SOURCE_DIR) + "/plans/measured.yaml");
  for (auto& problem : shipped.problems) ADD_FAILURE() << problem.text();
  test::TempDir dir;
  test::write_file(
      dir / "m.yaml",
      "vault-test-measured: 1\nchecks:\n  gemm.bf16: {device: NVIDIA H200, date: 2026-11-20}\n  a.b: {device: x, date: soon}\n");
  auto loaded = load_measurements(dir / "m.yaml");
  EXPECT_EQ(loaded.last.at("gemm.bf16").device, "NVIDIA H200");
  ASSERT_EQ(loaded.problems.size(), 1U);
  EXPECT_EQ(loaded.problems[0].where.line, 4);
  EXPECT_TRUE(load_measurements(dir / "none.yaml").problems.empty());
}

TEST(Measured, GpuChecksAreTheOnesThatNeedOne) {
  Check check;
  check.needs = Requirement::parse("gpu>=2, tool.python3").value();
  EXPECT_TRUE(needs_a_gpu(check));
  check.needs = Requirement::parse("docker.gpu").value();
  EXPECT_FALSE(needs_a_gpu(check));
  check.how = ProbeRun{"driver.version"};
  EXPECT_TRUE(needs_a_gpu(check));
}

}  // namespace
}  // namespace vt
