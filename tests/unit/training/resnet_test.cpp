#include <gtest/gtest.h>

#include <cmath>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/resnet_proof.hpp"
#include "remote-agent/checks/resnet_reference.hpp"
#include "remote-agent/gpu/open.hpp"
#include "tests/support/silent_reporter.hpp"

using namespace vt;
using checks::ResNet;
using checks::ResNetReference;

namespace {

ResNet tiny() {
  checks::ResNetSize size;
  size.image = 16, size.classes = 8, size.width = 8, size.blocks = {1, 1, 0, 0};
  return ResNet(size);
}

checks::Outcome throughput(nlohmann::json args) {
  auto device = gpu::open_cpu();
  test::SilentReporter report;
  checks::Task task;
  task.args = std::move(args);
  task.args["device"] = "cpu";
  return checks::train_throughput(task, *device, report);
}

}  // namespace

/// 25.5 million parameters and 4.1 · 10^9 multiplications, as every table of networks has them.
TEST(ResNetLayers, AreThoseOfResNet50) {
  const ResNet net({});
  EXPECT_EQ(net.convolutions().size(), 53U);
  EXPECT_EQ(net.parameters(), 25'557'032U);
  EXPECT_NEAR(static_cast<double>(net.macs()), 4.09e9, 0.01e9);
  EXPECT_NEAR(net.training_operations(), 3 * 2 * 4.09e9, 0.3e9);
  EXPECT_EQ(net.pooled, 56U);
  EXPECT_EQ(net.last, 7U);
  EXPECT_EQ(net.features, 2048U);
}

/// The stem's rows are filled up to a multiple of 8, which makes no parameters.
TEST(ResNetLayers, PartsDoNotOverlap) {
  const ResNet net({});
  const checks::ParameterPlaces at(net);
  EXPECT_EQ(net.stem.taps(), 147U);
  EXPECT_EQ(net.stem.row(), 152U);
  std::uint64_t next = 0;
  auto all = net.convolutions();
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_GE(at.convolutions[i].matrix, next);
    EXPECT_GE(at.convolutions[i].gain, at.convolutions[i].matrix + all[i].out * all[i].row());
    EXPECT_GE(at.convolutions[i].shift, at.convolutions[i].gain + all[i].out);
    next = at.convolutions[i].shift + all[i].out;
    EXPECT_EQ(at.convolutions[i].matrix % 128, 0U);
  }
  EXPECT_GE(at.classifier, next);
}

/// Moving a weight a little changes the reference's loss as its gradient says. Every tenth of the weights and all kinds of layers are
/// tried.
TEST(ResNetReference, GradientsAreTheSlopesOfTheLoss) {
  ResNetReference model(tiny(), 2, 3, false);
  model.forward_backward();
  auto gradients = model.gradients;
  int tried = 0;
  double largest = 0;
  for (std::size_t i = 0; i < gradients.size(); i += 61) {
    constexpr double kStep = 1e-6;
    auto kept = model.weights[i];
    model.weights[i] = kept + kStep;
    auto above = model.forward_backward();
    model.weights[i] = kept - kStep;
    auto below = model.forward_backward();
    model.weights[i] = kept;
    EXPECT_NEAR(gradients[i], (above - below) / (2 * kStep), 1e-6 + 1e-3 * std::abs(gradients[i])) << i;
    largest = std::max(largest, std::abs(gradients[i])), ++tried;
  }
  EXPECT_GT(tried, 150);
  EXPECT_GT(largest, 0.05);
}

TEST(ResNetProof, TheProcessorComputesWhatTheReferenceDoes) {
  auto device = gpu::open_cpu();
  auto proof = checks::prove_resnet(*device, nullptr, 2, false).take();
  EXPECT_EQ(proof.wrong, 0U) << proof.first;
  EXPECT_EQ(proof.nonfinite, 0U);
  EXPECT_EQ(proof.first, "none");
  EXPECT_GT(proof.gradient_error, 0);
  EXPECT_LT(proof.gradient_error, 0.05);
}

TEST(ResNetProof, OneBitOfOneWeightShows) {
  auto device = gpu::open_cpu();
  auto proof = checks::prove_resnet(*device, nullptr, 2, true).take();
  EXPECT_GE(proof.wrong, 1U);
  EXPECT_EQ(proof.first.substr(0, 13), "convolution 1") << proof.first;
}

TEST(ResNetTrainer, ComputesTheSameBitsEveryTime) {
  std::vector<std::vector<float>> losses;
  for (int run = 0; run < 2; ++run) {
    auto device = gpu::open_cpu();
    auto trainer = std::move(checks::ResNetTrainer::make(*device, tiny(), 8, 1, nullptr)).take();
    for (int step = 0; step < 3; ++step) {
      ASSERT_TRUE(trainer.forward_backward());
      ASSERT_TRUE(trainer.update());
    }
    losses.push_back(trainer.losses().take());
  }
  ASSERT_EQ(losses[0].size(), 3U);
  EXPECT_EQ(losses[0], losses[1]);
  EXPECT_NE(losses[0][0], losses[0][2]);
}

TEST(TrainThroughput, LearnsABatchByHeart) {
  auto out = throughput({{"steps", 15}});
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(out.values["wrong"], 0) << out.values;
  EXPECT_EQ(out.values["nonfinite"], 0);
  EXPECT_GE(out.values["steps"], 15);
  EXPECT_LT(out.values["ratio"], 0.5) << out.values;
  EXPECT_GT(out.values["images_per_s"], 0);
  EXPECT_GT(out.values["tflops"], 0);
  EXPECT_EQ(out.values["kernel"], "own, cpu");
}

TEST(TrainThroughput, AFaultIsCounted) {
  auto out = throughput({{"steps", 2}, {"fault", true}});
  ASSERT_EQ(out.error, "");
  EXPECT_GE(out.values["wrong"], 1) << out.values;
}
