#pragma once
#include <string>

#include "remote-agent/checks/resnet_trainer.hpp"

namespace vt::checks {

/// How a small ResNet's training on a device compares with the reference in fp64.
struct ResNetProof {
  std::uint64_t wrong = 0;      ///< gradients of a layer's parameters beyond the bound in the first step, and steps whose loss is
  std::uint64_t nonfinite = 0;  ///< losses and gradients that are NaN or infinite
  double gradient_error = 0;    ///< the largest distance of a layer's gradient, as part of its length
  double loss_error = 0;        ///< the largest distance of a loss
  std::string first;            ///< the first that is wrong; "none"
};

/// Trains three steps of a ResNet with every kind of layer, but few and narrow ones. `fault`: one bit of one weight is turned over first.
Result<ResNetProof> prove_resnet(gpu::Device& device, gpu::CublasLt* library, std::uint64_t seed, bool fault);

}  // namespace vt::checks
