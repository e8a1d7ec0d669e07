#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "tests/doubles/host/host.hpp"

namespace vt::doubles {

/// The memory of one device: one reserved range of this process's addresses, so that a pointer tells its device and an address in
/// it is an address of the device's memory.
class Arena {
 public:
  explicit Arena(int gpu);
  /// nullptr: not that much left in one piece.
  void* allocate(std::size_t bytes);
  bool free(void* at);
  [[nodiscard]] bool holds(const void* at) const;
  /// All of the range is allocated memory.
  [[nodiscard]] bool holds(const void* at, std::size_t bytes) const;
  [[nodiscard]] std::uint64_t left() const;
  /// Bits of broken cells take their stuck values.
  void apply_flaws() const;

 private:
  int gpu_;
  unsigned char* base_;
  std::size_t size_;
  mutable std::mutex mutex_;
  std::map<std::size_t, std::size_t> taken_;  ///< offset -> bytes
};

}  // namespace vt::doubles
