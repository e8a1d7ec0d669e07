#pragma once
#include <vector>

#include "remote-agent/checks/check.hpp"

namespace vt::checks {

/// Memory of a device, in as few pieces as it could be had in.
struct TakenMemory {
  std::vector<gpu::Buffer> pieces;
  std::uint64_t free = 0;   ///< bytes before anything was taken
  std::uint64_t bytes = 0;  ///< taken
};

/// Takes what is free but args.reserve_mib (256, or 1/32 of what is free where that is less; on the processor none), at most args.mib
/// (0: no limit; on the processor 64).
Result<TakenMemory> take_memory(gpu::Device&, const Task&);

/// `wanted` bytes, or a quarter of what is free in whole MiB where that is less: two buffers of it and what belongs to them fit.
Result<std::size_t> fitting(gpu::Device&, std::size_t wanted);

}  // namespace vt::checks
