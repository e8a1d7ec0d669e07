#pragma once
#include "remote-agent/checks/check.hpp"

namespace vt::checks {

/// Words that name each other in one ring, a cache line of 128 bytes apart and in random order, so that no step can be guessed.
class Chain {
 public:
  /// A ring through `bytes` bytes of memory.
  explicit Chain(std::size_t bytes);
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }
  /// The word that `steps` steps lead to from word 0.
  [[nodiscard]] std::uint64_t after(std::uint64_t steps) const;

 private:
  std::vector<std::uint64_t> words_;
};

struct Chased {
  double seconds_per_step = 0;
  bool right = false;  ///< it came to where the chain leads
};
/// Follows the chain, which lies at `at`, from the device.
Result<Chased> chase(gpu::Device&, const Chain&, const void* at, std::uint64_t steps);

}  // namespace vt::checks
