#include <gtest/gtest.h>

#include <cmath>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/training.hpp"
#include "remote-agent/gpu/open.hpp"
#include "tests/support/silent_reporter.hpp"

using namespace vt;
using checks::ModelSize;
using checks::Trainer;

namespace {

const ModelSize kTiny{8, 4, 8, 2, 2};

struct Model {
  std::unique_ptr<gpu::Device> device = gpu::open_cpu();
  Trainer trainer;
  explicit Model(std::uint64_t seed = 1, const ModelSize& size = kTiny) : trainer(Trainer::make(*device, size, seed, nullptr).take()) {}
  double loss(std::uint64_t first = 0) { return trainer.forward_backward(first).take(); }
  void train(int steps) {
    for (int i = 0; i < steps; ++i) {
      loss(static_cast<std::uint64_t>(i) * kTiny.batch);
      ASSERT_TRUE(trainer.update());
    }
  }
};

checks::Outcome smoke(nlohmann::json args) {
  auto device = gpu::open_cpu();
  test::SilentReporter report;
  checks::Task task;
  task.args = std::move(args);
  return checks::train_smoke(task, *device, report);
}

}  // namespace

/// Moving any weight a little changes the loss as its gradient says: forward and backward belong together.
TEST(Training, GradientsAreTheSlopesOfTheLoss) {
  Model model;
  model.train(3);  // away from the start, where the head is nearly nothing
  auto* weights = model.trainer.weights().as<float>();
  model.loss();
  auto* at = model.trainer.gradients().as<float>();
  std::vector<float> gradients(at, at + model.trainer.parameters());
  int tried = 0;
  double largest = 0;
  for (std::size_t i = 0; i < gradients.size(); i += 3, ++tried) {
    constexpr float kStep = 4e-3F;
    auto kept = weights[i];
    weights[i] = kept + kStep;
    auto above = model.loss();
    weights[i] = kept - kStep;
    auto below = model.loss();
    weights[i] = kept;
    EXPECT_NEAR(gradients[i], (above - below) / (2 * kStep), 1e-3 + 0.03 * std::abs(gradients[i])) << i;
    largest = std::max<double>(largest, std::abs(gradients[i]));
  }
  EXPECT_GT(tried, 300);
  EXPECT_GT(largest, 0.05);
}

TEST(Training, BeginsAtChance) { EXPECT_NEAR(Model().loss(), std::log(8.0), 0.1); }

TEST(Training, OneSeedGivesOneCourse) {
  Model a(5), b(5), c(6);
  for (auto* model : {&a, &b, &c}) model->train(2);
  EXPECT_EQ(a.trainer.weights_hash().take(), b.trainer.weights_hash().take());
  EXPECT_NE(a.trainer.weights_hash().take(), c.trainer.weights_hash().take());
}

/// Two ranks with half a batch each, their gradients summed, are one with the whole batch.
TEST(Training, RanksTogetherAreOneBatch) {
  auto half = kTiny;
  half.batch = 1;
  Model whole(5), first(5, half), second(5, half);
  whole.loss(0), first.loss(0), second.loss(1);
  for (std::size_t i = 0; i < whole.trainer.parameters(); ++i) {
    auto sum = first.trainer.gradients().as<float>()[i] + second.trainer.gradients().as<float>()[i];
    EXPECT_NEAR(whole.trainer.gradients().as<float>()[i], sum / 2, 1e-5);
    first.trainer.gradients().as<float>()[i] = second.trainer.gradients().as<float>()[i] = sum;
  }
  ASSERT_TRUE(first.trainer.update(0.5));
  ASSERT_TRUE(second.trainer.update(0.5));
  EXPECT_EQ(first.trainer.weights_hash().take(), second.trainer.weights_hash().take());
}

TEST(TrainSmoke, LearnsAndMatchesItsReference) {
  auto out = smoke({{"steps", 60}});
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(out.values["wrong"], 0);
  EXPECT_EQ(out.values["nonfinite"], 0);
  EXPECT_EQ(out.values["deviation"], 0);
  EXPECT_LT(out.values["ratio"], 0.5) << out.values;
  EXPECT_EQ(out.values["kernel"], "own, cpu");
}

TEST(TrainSmoke, ASpoiltWeightShows) {
  auto out = smoke({{"steps", 10}, {"fault", true}});
  ASSERT_EQ(out.error, "");
  EXPECT_GE(out.values["wrong"], 1) << out.values;
}
