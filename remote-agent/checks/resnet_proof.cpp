#include "remote-agent/checks/resnet_proof.hpp"

#include <algorithm>
#include <cmath>

#include "remote-agent/checks/resnet_reference.hpp"

namespace vt::checks {

namespace {

constexpr std::uint64_t kBatch = 8;
constexpr int kSteps = 3;
/// An activation may be the next number of bf16, which has eight bits; and sums that cancel leave 2^-10 of what is usual there.
constexpr double kNext = 0x1p-7, kCancelled = 0x1p-10;
/// Gradients are rounded to bf16 once or twice a layer, some of them the other way: up to 0.025 from the reference on sound hardware.
constexpr double kGradientBound = 0.1, kLossBound = 1e-4, kWeightBound = 1e-5;

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

class Comparison {
 public:
  Comparison(gpu::Device& device, const ResNet& net, ResNetProof& proof) : device_(&device), net_(net), proof_(&proof) {}

  Status step(ResNetTrainer& trainer, ResNetReference& reference);

 private:
  template <class T>
  Result<std::vector<T>> fetch(const gpu::Buffer& from) {
    std::vector<T> out(from.bytes() / sizeof(T));
    VT_CHECK(device_->copy(out.data(), from.as<void>(), out.size() * sizeof(T)));
    VT_CHECK(device_->finish());
    return out;
  }
  void out_of_bounds(const std::string& what, double seen, double expected);
  void loss(double seen, double expected);
  void activation(std::size_t number, const ResNetMemory::Half* seen, std::vector<double>& expected);
  void gradient(const Part& part, const std::vector<float>& seen, const std::vector<double>& expected);
  void weights(const std::vector<float>& seen, const std::vector<double>& expected);

  gpu::Device* device_;
  const ResNet& net_;
  ResNetProof* proof_;
};

void Comparison::out_of_bounds(const std::string& what, double seen, double expected) {
  proof_->nonfinite += !std::isfinite(seen);
  if (proof_->wrong++ == 0) proof_->first = what + ": expected " + std::to_string(expected) + ", found " + std::to_string(seen);
}

void Comparison::loss(double seen, double expected) {
  auto apart = std::abs(seen - expected);
  if (!(apart <= kLossBound)) out_of_bounds("loss", seen, expected);
  if (std::isfinite(apart)) proof_->loss_error = std::max(proof_->loss_error, apart);
}

/// The device's take the place of the expected ones.
void Comparison::activation(std::size_t number, const ResNetMemory::Half* seen, std::vector<double>& expected) {
  double squares = 0;
  for (auto x : expected) squares += x * x;
  auto least = kCancelled * std::sqrt(squares / static_cast<double>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    double x = kernels::from_bf16(seen[i]);
    if (!(std::abs(x - expected[i]) <= kNext * std::abs(expected[i]) + least))
      out_of_bounds("convolution " + std::to_string(number + 1), x, expected[i]);
    expected[i] = x;
  }
}

void Comparison::gradient(const Part& part, const std::vector<float>& seen, const std::vector<double>& expected) {
  double apart = 0, squares = 0;
  for (auto i = part.from; i < part.to; ++i) apart += std::pow(seen[i] - expected[i], 2), squares += std::pow(expected[i], 2);
  auto error = std::sqrt(apart / squares);
  if (!(error <= kGradientBound)) out_of_bounds("gradient of " + part.name + ", distance", error, 0);
  if (std::isfinite(error)) proof_->gradient_error = std::max(proof_->gradient_error, error);
}

void Comparison::weights(const std::vector<float>& seen, const std::vector<double>& expected) {
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!(std::abs(seen[i] - expected[i]) <= kWeightBound * (std::abs(expected[i]) + 1e-3))) out_of_bounds("weight", seen[i], expected[i]);
}

/// Where the device has the results of the convolutions, in their order.
std::vector<const ResNetMemory::Layer*> layers(const ResNetMemory& memory) {
  std::vector<const ResNetMemory::Layer*> out = {&memory.stem};
  for (auto& block : memory.blocks) {
    out.insert(out.end(), {&block.narrow, &block.middle, &block.widen});
    if (block.project) out.push_back(&*block.project);
  }
  return out;
}

Status Comparison::step(ResNetTrainer& trainer, ResNetReference& reference) {
  VT_CHECK(trainer.forward_backward());
  VT_TRY(auto losses, trainer.losses());
  VT_TRY(auto bytes, fetch<std::byte>(trainer.memory()));
  VT_TRY(auto gradients, fetch<float>(trainer.gradients()));
  const ResNetMemory memory(net_, kBatch, bytes.data());
  auto there = layers(memory);
  auto expected = reference.forward_backward([&](std::size_t number, bool raw, std::vector<double>& result) {
    activation(number, raw ? there[number]->raw : there[number]->out, result);
  });
  loss(losses.front(), expected);
  for (auto& part : parts(net_)) gradient(part, gradients, reference.gradients);
  reference.gradients.assign(gradients.begin(), gradients.end());
  VT_CHECK(trainer.update());
  reference.update();
  VT_TRY(auto updated, fetch<float>(trainer.weights()));
  weights(updated, reference.weights);
  reference.weights.assign(updated.begin(), updated.end());
  return {};
}

}  // namespace

Result<ResNetProof> prove_resnet(gpu::Device& device, gpu::CublasLt* library, std::uint64_t seed, bool fault) {
  auto net = small_net();
  VT_TRY(auto trainer, ResNetTrainer::make(device, net, kBatch, seed, library));
  ResNetReference reference(net, kBatch, seed, true);
  ResNetProof proof;
  proof.first = "none";
  if (fault) VT_CHECK(trainer.spoil());
  Comparison comparison(device, net, proof);
  for (int step = 0; step < kSteps; ++step) VT_CHECK(comparison.step(trainer, reference));
  return proof;
}

}  // namespace vt::checks
