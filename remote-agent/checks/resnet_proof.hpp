#pragma once
#include <string>

#include "remote-agent/checks/resnet_trainer.hpp"

namespace vt::checks {

/// How a small ResNet's training on a device compares with the reference in fp64.
struct ResNetProof {
  std::uint64_t wrong = 0;      ///< elements of activations and updated weights, gradients of a layer, and losses, that are out of bounds
  std::uint64_t nonfinite = 0;  ///< of all these, those that are NaN or infinite
  double gradient_error = 0;    ///< the largest distance of a layer's gradient, as part of its length
  double loss_error = 0;        ///< the largest distance of a loss
  std::string first;            ///< the first that is wrong; "none"
};

/// Trains three steps of a ResNet with every kind of layer, but few and narrow ones. Training amplifies the least difference: an element
/// that is rounded the other way turns others off, and after some layers gradients are a third of their length apart though both are right.
/// So each result is computed again from what the device itself had before it: every activation from the device's input of its layer, the
/// gradients, which depend on the loss's linearly once all activations are given, as a whole, every weight from the device's gradient.
/// `fault`: one bit of one weight is turned over first.
Result<ResNetProof> prove_resnet(gpu::Device& device, gpu::CublasLt* library, std::uint64_t seed, bool fault);

}  // namespace vt::checks
