#pragma once
#include "remote-agent/checks/gemm_verify.hpp"

namespace vt::checks {

/// Products at full power and copies beside them, every result compared. The reference is a result that verify() has proven; C is
/// overwritten before each product, so that one that does nothing shows.
class SoakLoad {
 public:
  /// Tensor cores where cuBLASLt can use them, else our own kernel.
  static Result<SoakLoad> make(gpu::Device& device, gpu::CublasLt* library, GemmProblem::Size size);

  /// Starts `times` products, and copies beside them.
  Status start(std::uint64_t times);
  struct Round {
    double seconds = 0;
    std::uint64_t wrong = 0;  ///< words of results or copies that differ from the reference
    std::string first;
  };
  /// Waits for what was started.
  Result<Round> finish();
  /// Computes the reference again in another way: elements of the last product that are out of bounds.
  Result<GemmFindings> derive_again() { return compare_elements(problem_); }
  Status spoil() { return problem_.spoil(); }

  [[nodiscard]] const GemmFindings& proof() const { return proof_; }
  [[nodiscard]] const GemmProblem& problem() const { return problem_; }

 private:
  explicit SoakLoad(GemmProblem problem) : problem_(std::move(problem)) {}
  Status prepare(std::uint64_t seed);
  Status compare(const gpu::Buffer& result, kernels::Miscompares* wrong, gpu::Stream stream);

  GemmProblem problem_;
  GemmFindings proof_;
  gpu::Buffer reference_, copy_, wrong_;
  gpu::Stream aside_;
  gpu::Mark from_, to_, copied_;
};

}  // namespace vt::checks
