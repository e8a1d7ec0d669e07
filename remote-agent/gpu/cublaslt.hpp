#pragma once
#include <memory>
#include <string>
#include <vector>

#include "kernels/formats.hpp"
#include "orchestrator/model/result.hpp"
#include "remote-agent/gpu/device.hpp"

/// The host's cuBLASLt, opened at run time (cublaslt_abi.hpp). What it does not know yet, such as block scales, it refuses.
namespace vt::gpu {

/// C = A·B (+ C if `add`) with matrices kept by columns, as BLAS has it: C is m x n; A is m x k, or k x m and transposed; B is k x n, or
/// n x k and transposed. The default is the layout of kernels/gemm.hpp. Sums are kept in fp32, of fp64 in fp64, of int8 in int32
/// (A transposed, B not, m and k multiples of 4: what cuBLASLt takes for its integer tensor cores).
struct Product {
  kernels::Format in = kernels::Format::fp32, out = kernels::Format::fp32;
  std::uint64_t m = 0, n = 0, k = 0;
  bool transpose_a = true, transpose_b = false, add = false;
  const void *a_scales = nullptr, *b_scales = nullptr;  ///< NVFP4
  [[nodiscard]] double operations() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

namespace cublaslt {
struct Functions;
}

/// A product with the algorithms cuBLASLt proposes for it. The first is used until tune() has found a better one.
class CublasLtPlan {
 public:
  CublasLtPlan(CublasLtPlan&&) noexcept;
  CublasLtPlan& operator=(CublasLtPlan&&) = delete;
  ~CublasLtPlan();

  /// Asynchronous; with one algorithm the same operands give the same bits every time.
  Status run(const void* a, const void* b, void* c, Stream stream = {});
  /// Times each proposed algorithm on these operands and keeps the best; ends after `seconds` with the best so far.
  Status tune(const void* a, const void* b, void* c, double seconds);
  /// "algorithm 66, tile 20, stages 35, split-k 1"
  [[nodiscard]] std::string algorithm() const;

 private:
  friend class CublasLt;
  struct Parts;
  explicit CublasLtPlan(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// cuBLASLt on one device. Plans share its workspace: use them on one stream.
class CublasLt {
 public:
  /// Errc::not_found: there is none; Errc::refused: it cannot be loaded, lacks functions or does not take the device.
  static Result<CublasLt> open(Device& device);
  /// Errc::refused: it has no algorithm for this product on this device; the text says so with version and device.
  Result<CublasLtPlan> plan(const Product& product);
  [[nodiscard]] const std::string& version() const { return version_; }  ///< "13.0.2"
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Device* device_ = nullptr;
  std::shared_ptr<const cublaslt::Functions> functions_;
  std::shared_ptr<void> handle_;
  std::shared_ptr<Buffer> workspace_;
  std::string version_, path_;
};

/// "fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp8-e5m2", "nvfp4", "int8", "int32"
const char* name(kernels::Format format);

}  // namespace vt::gpu
