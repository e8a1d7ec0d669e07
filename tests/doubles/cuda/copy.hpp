#pragma once
#include "tests/doubles/cuda/queue.hpp"

namespace vt::doubles {

/// Copies between any two of device and host memory at the end of a stream, with the faults that strike it. Waits if told to, and
/// where the driver waits: for memory of the host that is not pinned.
CUresult copy(void* to, const void* from, std::size_t bytes, CUstream stream, bool wait);
/// `times` times the lowest `size` bytes of `pattern`.
CUresult set(void* at, std::uint64_t pattern, std::size_t size, std::size_t times, CUstream stream, bool wait);

}  // namespace vt::doubles
