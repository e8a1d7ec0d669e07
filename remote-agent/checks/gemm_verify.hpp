#pragma once
#include "remote-agent/checks/gemm_problem.hpp"

namespace vt::checks {

/// What was found wrong in a result.
struct GemmFindings {
  std::uint64_t elements = 0;   ///< out of bounds against our own product of the same operands: every element is compared
  std::uint64_t rows = 0;       ///< missed by Freivalds' check in fp64
  std::uint64_t samples = 0;    ///< wrong among those summed by this machine's processor in fp64 from the seed alone
  std::uint64_t nonfinite = 0;  ///< NaN or infinite
  std::uint64_t repeats = 0;    ///< words that another run of the same algorithm gave otherwise
  std::uint64_t again = 0;      ///< such runs
  std::uint64_t compared = 0;   ///< elements looked at
  double worst = 0;             ///< largest error of a sample, as part of its bound
  std::string first;            ///< "bf16 element (17, 33): expected 12.25, found nan"
  /// Wrong elements: as many as the test that saw most of them.
  [[nodiscard]] std::uint64_t wrong() const;
  void add(const GemmFindings& other);
};

/// Verifies the C of the problem against everything that is known of its operands. Waits for its work.
Result<GemmFindings> verify(const GemmProblem& problem, std::uint64_t seed);
/// Every element against our own product only: what a long run does from time to time.
Result<GemmFindings> compare_elements(const GemmProblem& problem);
/// Runs the problem `times` more and compares each C with the one there is, bit by bit; after `seconds` no other run begins. The first
/// difference is told by its element and bits: "fp16 element (9, 0) differs between two runs in bits 0x1".
Result<GemmFindings> verify_repeats(GemmProblem& problem, int times, double seconds);

}  // namespace vt::checks
