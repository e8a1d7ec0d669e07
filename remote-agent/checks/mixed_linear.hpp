#pragma once
#include "remote-agent/checks/product_plans.hpp"

namespace vt::checks {

/// Y = X·Wᵀ and its gradients of operands in bf16 with sums in fp32, matrices by rows: X is rows x in, W is out x in, Y is rows x out; `in`
/// and `out` multiples of 8. By cuBLASLt, or by our own kernel if `library` is nullptr.
class MixedLinear {
 public:
  using Half = kernels::u16;  ///< bf16
  struct Shape {
    std::uint64_t rows, in, out;
  };
  MixedLinear(gpu::Device& device, gpu::CublasLt* library) : device_(&device), library_(library) {}

  Status forward(const Half* x, const Half* w, Half* y, Shape shape);
  /// Y in fp32, added to what it holds.
  Status add_forward(const Half* x, const Half* w, float* y, Shape shape);
  /// dX = dY·W, added to what it holds if `add`.
  Status input_gradient(const Half* dy, const Half* w, Half* dx, Shape shape, bool add);
  /// dW = dYᵀ·X, in fp32.
  Status weight_gradient(const Half* dy, const Half* x, float* dw, Shape shape);

  /// From now on each product that is new is tried with all algorithms for so long. Results that are added to are spoilt by that.
  void tune(double seconds) { tune_seconds_ = seconds; }

 private:
  gpu::Device* device_;
  gpu::CublasLt* library_;
  double tune_seconds_ = 0;
  ProductPlans plans_;
};

}  // namespace vt::checks
