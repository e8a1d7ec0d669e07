#pragma once
#include "remote-agent/checks/product_plans.hpp"

namespace vt::checks {

/// Y = X·Wᵀ and its gradients in fp32, matrices by rows: X is rows x in, W is out x in, Y is rows x out. By cuBLASLt with sums in
/// full fp32, or by our own kernel if `library` is nullptr.
class Linear {
 public:
  struct Shape {
    std::uint64_t rows, in, out;
  };
  Linear(gpu::Device& device, gpu::CublasLt* library) : device_(&device), library_(library) {}

  /// Y = X·Wᵀ, added to what Y holds if `add`.
  Status forward(const float* x, const float* w, float* y, Shape shape, bool add = false);
  /// dX = dY·W
  Status input_gradient(const float* dy, const float* w, float* dx, Shape shape);
  /// dW = dYᵀ·X
  Status weight_gradient(const float* dy, const float* x, float* dw, Shape shape);

 private:
  gpu::Device* device_;
  gpu::CublasLt* library_;
  ProductPlans plans_;
};

}  // namespace vt::checks
