#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "remote-agent/checks/nccl_session.hpp"

namespace vt::checks {

/// A run of elements that an operation leaves on a rank: element `at` + i is the sum of what ranks first_rank … first_rank + ranks - 1
/// contribute at place `first` + i (kernels/collective.hpp).
struct NcclPiece {
  std::uint64_t at = 0, count = 0, first_rank = 0, ranks = 1, first = 0;
  bool operator==(const NcclPiece&) const = default;
};

/// Elements of one call, as nccl-tests counts them: `total` is the larger of what a rank sends and receives.
struct NcclShape {
  std::uint64_t total = 0;
  int rank = 0, world = 1;
  [[nodiscard]] std::uint64_t each() const { return total / static_cast<std::uint64_t>(world); }
};

/// A collective operation on floats, and what it has to do to the data. Rank 0 is the root.
struct NcclOperation {
  std::string_view name;
  /// busbw = algbw x this, where algbw is the size in bytes by the time: what the slowest link has to carry, so that figures of different
  /// numbers of ranks compare. nccl-tests, doc/PERFORMANCE.md: all_reduce 2(n-1)/n; all_gather, reduce_scatter and alltoall (n-1)/n;
  /// broadcast, reduce and sendrecv 1.
  double (*bus_factor)(int world);
  bool in_place;  ///< it can also read and write one buffer
  Status (*call)(NcclRank&, const NcclShape&, const float* from, float* to);
  std::uint64_t (*sent)(const NcclShape&);               ///< elements of its own that a rank has in `from`
  std::vector<NcclPiece> (*left)(const NcclShape&);      ///< what must be in `to` afterwards
  std::uint64_t (*from_at)(const NcclShape&) = nullptr;  ///< in place: where `from` is in the buffer; else at 0
  std::uint64_t (*to_at)(const NcclShape&) = nullptr;    ///< in place: where `to` is; else at 0
};

/// all_reduce, all_gather, reduce_scatter, broadcast, reduce, alltoall (sends and receives in one group), sendrecv (to the next rank, from
/// the one before).
std::span<const NcclOperation> nccl_operations();
const NcclOperation* nccl_operation(std::string_view name);

}  // namespace vt::checks
