#pragma once
#include <optional>

#include "kernels/gemm.hpp"
#include "remote-agent/gpu/cublaslt.hpp"

namespace vt::checks {

/// A product C = A·B of drawn operands on a device, in the layout of kernels/gemm.hpp. Everybody can tell what A and B hold from the seed.
class GemmProblem {
 public:
  struct Size {
    std::uint64_t m, n, k;  ///< multiples of 16, k of 64
  };
  /// With cuBLASLt, or with our own kernel if `library` is nullptr. Errc::refused: the library cannot do it on this device.
  static Result<GemmProblem> make(gpu::Device& device, kernels::Format in, Size size, gpu::CublasLt* library);

  Status draw(kernels::Draw draw, std::uint64_t seed);
  /// Lets cuBLASLt find its best algorithm; operands must have been drawn.
  Status tune(double seconds);
  /// Asynchronous, on the device's own stream.
  Status run();
  /// Flips the highest exponent bit of one element of C: what verification must find.
  Status spoil();

  [[nodiscard]] gpu::Device& device() const { return *device_; }
  [[nodiscard]] kernels::Format in() const { return product_.in; }
  [[nodiscard]] kernels::Format out() const { return product_.out; }
  [[nodiscard]] Size size() const { return {product_.m, product_.n, product_.k}; }
  [[nodiscard]] double operations() const { return product_.operations(); }
  [[nodiscard]] const gpu::Buffer& c() const { return c_; }
  [[nodiscard]] std::uint64_t c_words() const { return c_.bytes() / 8; }
  /// A and B as fp32, or as they are if fp64.
  [[nodiscard]] const void* wide_a() const { return wide_a_ ? wide_a_.as<void>() : a_.as<void>(); }
  [[nodiscard]] const void* wide_b() const { return wide_b_ ? wide_b_.as<void>() : b_.as<void>(); }
  [[nodiscard]] kernels::Draw drawn() const { return drawn_; }
  [[nodiscard]] std::uint64_t a_seed() const { return seed_; }
  [[nodiscard]] std::uint64_t b_seed() const { return ~seed_; }
  /// The bound of an element's error (kernels/gemm.hpp) against a reference with rounding unit `reference`; 0 for drawn integers and int8.
  [[nodiscard]] kernels::Bound bound(double reference) const;
  /// "own", or cuBLASLt's algorithm.
  [[nodiscard]] std::string algorithm() const { return plan_ ? plan_->algorithm() : "own"; }

 private:
  GemmProblem(gpu::Device& device, kernels::Format in, Size size);
  Status allocate();
  Status fill(const gpu::Buffer& to, const gpu::Buffer& scales, const gpu::Buffer& wide, std::uint64_t rows, std::uint64_t seed);
  Status run_own();

  gpu::Device* device_;
  gpu::Product product_;
  gpu::Buffer a_, b_, c_, a_scales_, b_scales_, wide_a_, wide_b_, wide_c_;
  std::optional<gpu::CublasLtPlan> plan_;
  kernels::Draw drawn_ = kernels::Draw::normal;
  std::uint64_t seed_ = 0;
};

/// The size to compute with: what is wanted, 64 if a processor stands in, and never more than fits into the free memory.
Result<GemmProblem::Size> fitting_size(gpu::Device& device, double wanted, double on_cpu = 64);

/// What a product of these operands is kept in: fp8 and NVFP4 give bf16, tf32 gives fp32, int8 gives int32.
kernels::Format result_format(kernels::Format in);
/// The least compute capability whose tensor cores or units have the format: 89 = 8.9. The processor has all.
int least_sm(kernels::Format format);
bool has(const gpu::DeviceInfo& device, kernels::Format format);

}  // namespace vt::checks
