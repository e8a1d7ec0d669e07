#include "orchestrator/baseline/load.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "orchestrator/model/text.hpp"
#include "orchestrator/plan/load.hpp"
#include "tests/support/temp_dir.hpp"

namespace vt {
namespace {

const std::string kShipped = std::string(VT_SOURCE_DIR) + "/plans/baselines";

std::string text(const Problems& problems) {
  std::string out;
  for (auto& problem : problems) out += problem.text().substr(problem.where.file.rfind('/') + 1) + "\n";
  return out;
}

const LoadedBaselines& shipped() {
  static const LoadedBaselines loaded = load_baselines({kShipped});
  return loaded;
}

struct LoadBaselines : ::testing::Test {
  void write(const std::string& name, const std::string& yaml) const { std::ofstream(dir.path() + "/" + name) << yaml; }
  test::TempDir dir;
};

TEST_F(LoadBaselines, TheShippedOnesAreSoundAndSourced) {
  auto& loaded = shipped();
  EXPECT_EQ(text(loaded.problems), "");
  auto& all = loaded.baselines;
  EXPECT_EQ(all.gpus.size(), 28U);
  for (auto& gpu : all.gpus)
    for (auto& figure : gpu.figures) {
      EXPECT_FALSE(figure.sources.empty()) << gpu.id << " " << figure.keys.front();
      EXPECT_FALSE(figure.date.empty()) << gpu.id;
      for (auto& source : figure.sources)
        EXPECT_TRUE(all.sources.contains(source) || source.find_first_of("/ ") != std::string::npos) << gpu.id << ": no source " << source;
      EXPECT_TRUE(!figure.held || figure.warn || figure.fail) << gpu.id << " " << figure.keys.front() << ": no rule";
    }
  auto bf16 = all.find("NVIDIA GeForce RTX 5090", "gemm.bf16", 1);
  ASSERT_TRUE(bf16);
  EXPECT_EQ(bf16->kind, Figure::Kind::measured);
  EXPECT_EQ(bf16->low, 221.7);
  EXPECT_EQ(bf16->fail, 0.85);
  EXPECT_NEAR(*all.most("NVIDIA GeForce RTX 5090", "gemm.bf16", 1), 209.5 * 1.3, 1e-6) << "theory says what cannot be";
  auto copy = all.find("NVIDIA GeForce RTX 5090", "memory.copy", 1);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->low, 1792) << "what is only to be read is not held against";
}

TEST_F(LoadBaselines, EveryKeyOfTheCatalogueIsKnown) {
  // Can only be learned: kernels and a training of ours, which nobody has published, and products that our sources have no figure of.
  std::set<std::string> known{"gemm.own.fp32", "train.resnet50", "gemm.int8"};
  for (auto& gpu : shipped().baselines.gpus)
    for (auto& figure : gpu.figures)
      if (figure.held) known.insert(figure.keys.begin(), figure.keys.end());
  for (auto& check : load_catalogue(std::string(VT_SOURCE_DIR) + "/plans").catalogue.checks)
    for (auto& value : check.values)
      EXPECT_TRUE(value.baseline.empty() || known.contains(value.baseline.substr(0, value.baseline.find('@'))))
          << check.id << "/" << value.name << ": nothing is held against " << value.baseline;
}

TEST_F(LoadBaselines, NumberOfGpusAndSizeSelect) {
  auto& all = shipped().baselines;
  std::string h100 = "NVIDIA H100 80GB HBM3", rtx = "NVIDIA GeForce RTX 5090";
  EXPECT_EQ(all.find(h100, "nccl.all_reduce@512MiB", 8)->low, 445);
  EXPECT_EQ(all.find(h100, "nccl.all_reduce@512MiB", 2)->low, 318.3);
  EXPECT_EQ(all.find(h100, "nccl.all_reduce@16384MiB", 8)->low, 460);
  EXPECT_FALSE(all.find(h100, "nccl.all_reduce", 8)) << "sized figures hold for their size only";
  EXPECT_FALSE(all.find(h100, "nccl.all_reduce@512MiB", 3));
  EXPECT_EQ(all.find("Tesla V100-SXM2-16GB", "nccl.all_reduce@512MiB", 8)->low, 110) << "a figure without a size holds for any";
  EXPECT_FALSE(all.find(rtx, "nccl.all_reduce@512MiB", 8)) << "one board's figure without a size is there to be read";
}

TEST_F(LoadBaselines, WhatMayDifferBetweenSoundMachinesIsNoLimit) {
  auto& all = shipped().baselines;
  EXPECT_EQ(all.find("NVIDIA A100 80GB PCIe", "gemm.fp64", 1)->low, 19.5) << "tensor cores do it";
  EXPECT_FALSE(all.find("NVIDIA A100 80GB PCIe", "p2p.bandwidth", 2)) << "not every pair has a bridge";
  EXPECT_FALSE(all.find("NVIDIA H100 NVL", "nccl.all_reduce@512MiB", 2));
  EXPECT_GT(*all.most("Tesla T4", "gpu.memory", 1), 16384) << "with ECC off";
  EXPECT_GT(*all.most("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "gemm.bf16", 1), 503.8 * 1.1)
      << "boost beyond the specification";
  EXPECT_GT(*all.most("NVIDIA RTX PRO 6000 Blackwell Server Edition", "memory.copy", 1), 1792);
}

TEST_F(LoadBaselines, LearnedFiguresWin) {
  write("mine.yaml",
        "vault-test-baseline: 1\nid: mine\nnames: [NVIDIA GeForce RTX 5090]\nfigures:\n"
        "  - {key: gemm.bf16, value: [230, 236], unit: TFLOP/s, kind: learned, source: [20261120-x], date: 2026-11-20}\n");
  auto loaded = load_baselines({kShipped, dir.path()});
  EXPECT_EQ(text(loaded.problems), "");
  auto figure = loaded.baselines.find("NVIDIA GeForce RTX 5090", "gemm.bf16", 1);
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->low, 230);
  EXPECT_EQ(figure->fail, 0.90);
  EXPECT_EQ(figure->file, "mine.yaml");
}

TEST_F(LoadBaselines, EveryMistakeIsToldAtItsPlace) {
  write("bad.yaml",
        "vault-test-baseline: 1\nid: Bad Id\nnames: [X]\nfigurs: []\nfigures:\n"
        "  - {key: gemm, value: 1, unit: x, kind: theory, source: [a], date: 2026-11-20}\n"
        "  - {key: gemm.bf16, value: [2, 1], unit: x, kind: theoretical, source: [a], date: soon}\n"
        "  - {key: gemm.bf16, value: none, unit: x, kind: theory, date: 2026-11-20, warn: 0.5, fail: 0.9}\n");
  write("other.yaml", "vault-test-prices: 1\n");
  EXPECT_EQ(text(load_baselines({dir.path()}).problems),
            "bad.yaml:2:5: id 'Bad Id' is not valid; expected [a-z0-9][a-z0-9._-]{0,62}\n"
            "bad.yaml:4:1: unknown key 'figurs'; expected one of vault-test-baseline, id, names, facts, figures, nearest 'figures'\n"
            "bad.yaml:6:11: key 'gemm' is not valid; expected for example gemm.bf16\n"
            "bad.yaml:7:29: value runs from high to low; expected [low, high]\n"
            "bad.yaml:7:52: kind 'theoretical' is unknown; expected one of theory, measured, learned\n"
            "bad.yaml:7:84: date 'soon' is not valid; expected a date such as 2026-11-20\n"
            "bad.yaml:8:5: a figure has no 'source'; expected one\n"
            "bad.yaml:8:29: value 'none' is not a number above 0; expected for example 0.95\n"
            "bad.yaml:8:93: fail is above warn; expected it at or below\n"
            "other.yaml:1:1: no baseline; expected the key vault-test-baseline: 1 or vault-test-baseline-common: 1\n");
}

}  // namespace
}  // namespace vt
