#include "remote-agent/checks/resnet_proof.hpp"

#include <algorithm>
#include <cmath>

#include "remote-agent/checks/resnet_reference.hpp"

namespace vt::checks {

namespace {

constexpr std::uint64_t kBatch = 8;
constexpr int kSteps = 3;
/// Both sides round to bf16 at the same places, so that only sums near the middle of two numbers part them: some in a thousand elements by
/// one unit of 2^-8, which layers pass on. Sound arithmetic stays below a tenth of this.
constexpr double kGradientBound = 0.05, kLossBound = 0.02;

ResNet small_net() {
  ResNetSize size;
  size.image = 32, size.classes = 16, size.width = 8, size.blocks = {2, 1, 1, 1};
  return ResNet(size);
}

/// A layer's parameters by name: from, to.
struct Part {
  std::string name;
  std::uint64_t from, to;
};
std::vector<Part> parts(const ResNet& net) {
  const ParameterPlaces at(net);
  std::vector<Part> out;
  auto all = net.convolutions();
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto name = "convolution " + std::to_string(i + 1);
    auto& place = at.convolutions[i];
    out.push_back({name, place.matrix, place.matrix + all[i].out * all[i].row()});
    out.push_back({name + "'s gains", place.gain, place.gain + all[i].out});
    out.push_back({name + "'s shifts", place.shift, place.shift + all[i].out});
  }
  out.push_back({"classifier", at.classifier, at.classifier + net.classes * net.features});
  out.push_back({"classifier's bias", at.bias, at.bias + net.classes});
  return out;
}

void found(ResNetProof& proof, const std::string& what, double error) {
  if (proof.wrong++ == 0) proof.first = what + ": " + std::to_string(error) + " from the reference";
}

void compare(const Part& part, const std::vector<float>& seen, const std::vector<double>& expected, ResNetProof& proof) {
  double apart = 0, length = 0;
  for (auto i = part.from; i < part.to; ++i) {
    proof.nonfinite += !std::isfinite(seen[i]);
    apart += std::pow(static_cast<double>(seen[i]) - expected[i], 2), length += std::pow(expected[i], 2);
  }
  auto error = std::sqrt(apart / length);
  if (!(error <= kGradientBound)) found(proof, "gradient of " + part.name, error);
  if (std::isfinite(error)) proof.gradient_error = std::max(proof.gradient_error, error);
}

}  // namespace

Result<ResNetProof> prove_resnet(gpu::Device& device, gpu::CublasLt* library, std::uint64_t seed, bool fault) {
  auto net = small_net();
  VT_TRY(auto trainer, ResNetTrainer::make(device, net, kBatch, seed, library));
  ResNetReference reference(net, kBatch, seed, true);
  ResNetProof proof;
  proof.first = "none";
  if (fault) VT_CHECK(trainer.spoil());
  for (int step = 0; step < kSteps; ++step) {
    VT_CHECK(trainer.forward_backward());
    VT_TRY(auto losses, trainer.losses());
    auto apart = std::abs(losses.front() - reference.forward_backward());
    proof.nonfinite += !std::isfinite(losses.front());
    if (!(apart <= kLossBound)) found(proof, "loss of step " + std::to_string(step + 1), apart);
    if (std::isfinite(apart)) proof.loss_error = std::max(proof.loss_error, apart);
    if (step == 0) {
      std::vector<float> gradients(trainer.places().end);
      VT_CHECK(device.copy(gradients.data(), trainer.gradients().as<void>(), gradients.size() * sizeof(float)));
      VT_CHECK(device.finish());
      for (auto& part : parts(net)) compare(part, gradients, reference.gradients, proof);
    }
    VT_CHECK(trainer.update());
    reference.update();
  }
  return proof;
}

}  // namespace vt::checks
