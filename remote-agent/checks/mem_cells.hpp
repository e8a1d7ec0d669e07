#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "kernels/memory.hpp"
#include "remote-agent/checks/mem_taken.hpp"

namespace vt::checks {

/// A word that was not what had been written.
struct WrongMemory {
  const char* pattern;
  std::uint64_t address;  ///< the device's virtual one
  std::uint64_t offset;   ///< bytes from the beginning of all that is tested
  std::uint64_t expected, found, again;
  [[nodiscard]] std::string text() const;
};

/// What a memory test found.
struct MemoryFindings {
  std::uint64_t count = 0;         ///< exact
  std::vector<WrongMemory> first;  ///< at most 16
  /// How often each bit was 1 for 0 (set) and 0 for 1 (cleared); exact up to 65536 wrong words of one step.
  std::array<std::uint64_t, 64> set{}, cleared{};

  /// "none", or how many words, the first of them, and the bits.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string all() const;   ///< "none", or the first words, one a line
  [[nodiscard]] std::string bits() const;  ///< "bit 17: 3 times 1 for 0; …", those that were wrong most often first; "none"
};

/// The steps a memory test is made of, over all pieces of the memory taken.
class CellTest {
 public:
  static Result<CellTest> make(gpu::Device&, const TakenMemory&);

  struct Pattern {
    const char* name;
    kernels::Cells kind;
    std::uint64_t seed;
    bool complement = false;
  };
  enum class Order { forwards, backwards };
  Status write(const Pattern&);
  Status check(const Pattern&, Order);
  /// Checks the pattern and leaves its complement behind, cell by cell.
  Status invert(const Pattern&, Order);
  /// Turns one bit over: what a test that works finds.
  Status damage();

  [[nodiscard]] const MemoryFindings& findings() const { return findings_; }
  /// Bytes read and written so far.
  [[nodiscard]] std::uint64_t moved() const { return moved_; }

 private:
  CellTest(gpu::Device& device, const TakenMemory& memory, gpu::Buffer errors, gpu::Buffer fetched)
      : device_(&device), memory_(&memory), errors_(std::move(errors)), fetched_(std::move(fetched)) {}
  using Step = std::function<Status(const gpu::Buffer&, kernels::CellRange)>;
  Status each_piece(const Pattern&, Order, const Step&);
  Status collect(const Pattern&, const gpu::Buffer& piece, std::uint64_t offset);

  gpu::Device* device_;
  const TakenMemory* memory_;
  gpu::Buffer errors_, fetched_;
  MemoryFindings findings_;
  std::uint64_t moved_ = 0;
};

}  // namespace vt::checks
