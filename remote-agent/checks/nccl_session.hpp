#pragma once
#include "remote-agent/checks/nccl_settings.hpp"
#include "remote-agent/checks/nccl_watchdog.hpp"

namespace vt::checks {

/// A GPU's place among the ranks.
struct NcclRank {
  gpu::Device* device = nullptr;
  gpu::Communicator* comm = nullptr;
  gpu::Stream stream;
  int rank = 0;
};

/// This process's ranks of one communicator, each of its calls under a watchdog (args.patience seconds, default 30). Ranks of other
/// processes and hosts find each other through Reporter::publish and await: no MPI, no port of ours.
///
/// A call that takes too long is aborted on every rank, each for itself. Then the ranks tell each other how far they had come: one
/// that had not even come out of the call, or all of them if each had entered it, is the one that hangs: it ends its process (kHung), its
/// last progress being "all_reduce 8 MiB: calling" or "…: waiting". The others get Errc::timeout. With Calls::in_order joining itself
/// waits for the others, and one that is stuck in it would hold all in the call: so the ranks join with Calls::at_once before and leave
/// that communicator again, and then meet.
class NcclSession {
 public:
  /// One GPU per process. `tag` keeps several sessions of one check apart.
  static Result<std::unique_ptr<NcclSession>> join(const Task&, gpu::Device&, Reporter&, gpu::Calls, const std::string& tag = "");
  /// All GPUs in this process.
  static Result<std::unique_ptr<NcclSession>> join_all(const Task&, const gpu::Devices&, Reporter&);
  ~NcclSession();
  NcclSession(const NcclSession&) = delete;
  NcclSession& operator=(const NcclSession&) = delete;

  [[nodiscard]] std::vector<NcclRank>& ranks() { return ranks_; }  ///< of this process
  [[nodiscard]] int world() const { return world_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }  ///< the same on all ranks, another in each session
  [[nodiscard]] double init_seconds() const { return init_seconds_; }
  [[nodiscard]] double patience() const { return std::chrono::duration<double>(patience_).count(); }  ///< for one run(), in seconds
  /// The largest of what all ranks bring, at most 10^8 - 1; every rank must ask.
  Result<std::uint64_t> largest(std::uint64_t own);

  /// Calls `enqueue`, which puts work on the streams, and waits for that work.
  Status run(const std::string& what, const std::function<Status()>& enqueue);
  /// The same for what may be expected to go wrong: nobody is blamed.
  struct Attempt {
    Status done;
    bool timed_out = false;
    std::string trouble;  ///< the communicator's error that ended it; empty if there was none
  };
  Attempt attempt(const std::string& what, const std::function<Status()>& enqueue);
  /// `call` for each rank of this process, as one call to NCCL. For use in `enqueue`.
  Status each(const std::function<Status(NcclRank&)>& call);
  /// Waits until the calls so far are on the streams. For use in `enqueue`, between calls.
  Status settle();
  /// nccl (version), library (path), init_s, ranks, and what nccl_transport() tells.
  [[nodiscard]] nlohmann::json about() const;

 private:
  NcclSession(const Task& task, Reporter& report, gpu::Nccl nccl, NcclSettings settings, const std::string& tag);
  Status add(gpu::Device& device, int rank);
  Status init(const std::function<Status()>& join);
  Status finish();
  Status timed_out(const std::string& what);
  void tell(const char* state);  ///< the other ranks, once
  [[nodiscard]] std::string key(int rank) const { return "nccl" + tag_ + ".state." + std::to_string(rank); }

  Reporter& report_;
  gpu::Nccl nccl_;
  NcclSettings settings_;
  std::string tag_;
  int world_ = 1, asked_ = 0;  ///< ranks; how often largest() was asked
  std::uint64_t seed_ = 0;
  double init_seconds_ = 0;
  std::vector<NcclRank> ranks_;
  gpu::Communicators comms_;
  std::chrono::milliseconds patience_;
  std::atomic<bool> stuck_ = false;  ///< it timed out before it had entered the call
  std::atomic<bool> told_ = false;
  NcclWatchdog watchdog_;
};

}  // namespace vt::checks
