#pragma once
#include "kernels/pattern.hpp"
#include "remote-agent/checks/nccl_operations.hpp"

namespace vt::checks {

/// One operation on this process's ranks: its time, and whether what it leaves is right. Results have one entry per rank of this process.
class NcclBench {
 public:
  /// `most`: of the sizes in bytes that will be asked for.
  static Result<NcclBench> make(NcclSession&, const NcclOperation&, std::uint64_t most);

  /// One call on fresh data that is exactly representable, and every element of the result compared by a kernel. `damage`: one bit of
  /// each rank's result is flipped in between.
  Result<std::vector<kernels::Miscompares>> verify(std::uint64_t bytes, bool in_place, bool damage);
  struct Timed {
    std::vector<double> seconds;  ///< per call
    int iterations = 0;           ///< that were timed
  };
  /// `iterations` calls one after another, after `warmup` others, between two marks in the stream. Fewer of both, the same on every rank,
  /// where one call takes so long that they would not end within half of the session's patience.
  Result<Timed> time(std::uint64_t bytes, bool in_place, int warmup, int iterations);
  /// Seconds of each of `iterations` calls in a row, after `warmup` others, on the first rank of this process.
  Result<std::vector<double>> time_each(std::uint64_t bytes, int warmup, int iterations);

 private:
  struct Room {
    gpu::Buffer from, to, wrong;
    gpu::Mark begin, end;
  };
  NcclBench(NcclSession& session, const NcclOperation& operation) : session_(&session), operation_(&operation) {}
  [[nodiscard]] NcclShape shape(std::uint64_t bytes, const NcclRank& rank) const;
  [[nodiscard]] std::string title(std::uint64_t bytes) const;
  [[nodiscard]] Room& room(const NcclRank& rank);
  Status call(std::uint64_t bytes, bool in_place);
  /// How many calls fit a quarter of the patience; at least one.
  Result<int> affordable(std::uint64_t bytes, bool in_place);
  Status fill(std::uint64_t bytes, bool in_place, std::uint64_t seed);
  Status check(std::uint64_t bytes, bool in_place, std::uint64_t seed, bool damage);

  NcclSession* session_;
  const NcclOperation* operation_;
  std::vector<Room> rooms_;
  std::uint64_t rounds_ = 0;
};

/// "8 MiB", "64 KiB", "8 B".
std::string size_text(std::uint64_t bytes);
/// The least memory that is free on any of all the ranks' devices, in bytes; every rank must ask.
Result<std::uint64_t> least_free(const Task&, NcclSession&, Reporter&);

}  // namespace vt::checks
