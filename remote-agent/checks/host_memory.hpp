#pragma once
#include <cstdint>

#include "orchestrator/model/result.hpp"

namespace vt::checks {

/// Bytes that can be taken now without pushing anything out: MemAvailable, or what the cgroup leaves if that is less.
std::uint64_t free_memory();

/// Anonymous memory, freed with the object.
class Area {
 public:
  static Result<Area> take(std::uint64_t bytes);
  Area(Area&& other) noexcept;
  Area(const Area&) = delete;
  ~Area();

  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(at_);
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Keeps it out of swap; false: the limits do not allow it.
  [[nodiscard]] bool lock() const;

 private:
  Area(void* at, std::uint64_t bytes) : at_(at), bytes_(bytes) {}
  void* at_;
  std::uint64_t bytes_;
};

/// The physical address behind one of ours, from /proc/self/pagemap; 0: only root is told.
std::uint64_t physical_address(const void* at);

}  // namespace vt::checks
