#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "orchestrator/model/result.hpp"
#include "remote-agent/gpu/device.hpp"

/// The host's NCCL, opened at run time (nccl_abi.hpp).
namespace vt::gpu {

/// What the ranks of a communicator find each other by: made by one of them, carried to all. Holds an address and a nonce, no secret.
using NcclId = std::array<char, 128>;

/// ncclDataType_t and ncclRedOp_t, as far as they are used here.
enum class Element : int { bytes = 1, int32 = 2, float32 = 7 };
enum class Reduction : int { sum = 0, max = 2, min = 3 };

namespace nccl {
struct Functions;
struct Comm;
}  // namespace nccl

/// One rank of a communicator. Calls enqueue on a stream made by the device (Device::new_stream) of the context that was current when
/// it was made, and return; then settle(). abort() may come from another thread at any time, also while a call is blocked: that
/// call and the work on the stream then end. Errors: Errc::lost after abort or an error of the communicator, Errc::refused for
/// misuse and what the system refused; the text names NCCL's error, its own last words and what to do.
class Communicator {
 public:
  Communicator(std::shared_ptr<const nccl::Functions> nccl, nccl::Comm* handle) : nccl_(std::move(nccl)), handle_(handle) {}
  ~Communicator();  ///< destroys it if all its work has ended well, aborts it otherwise
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  Status all_reduce(const void* from, void* to, std::size_t count, Element, Reduction, Stream);
  Status all_gather(const void* from, void* to, std::size_t count_from_each, Element, Stream);
  Status reduce_scatter(const void* from, void* to, std::size_t count_to_each, Element, Reduction, Stream);
  Status broadcast(const void* from, void* to, std::size_t count, Element, int root, Stream);
  Status reduce(const void* from, void* to, std::size_t count, Element, Reduction, int root, Stream);
  Status send(const void* from, std::size_t count, Element, int peer, Stream);
  Status receive(void* to, std::size_t count, Element, int peer, Stream);

  /// Waits until NCCL has done what it does in the background: joining, connecting, enqueueing. Ends by abort() at the latest.
  Status settle();
  /// What the communicator has met by itself, such as a rank that is gone. Does not wait.
  Status trouble();
  void abort();
  [[nodiscard]] bool aborted() const { return aborted_; }

 private:
  friend class Nccl;
  Status told(int result, const char* what);
  /// The state NCCL tells, ncclSuccess or ncclInProgress or an error; `aborted_` is an error of its own.
  int state();

  std::shared_ptr<const nccl::Functions> nccl_;
  nccl::Comm* handle_;
  std::mutex mutex_;  ///< between asking for the state and aborting, which frees what is asked
  std::atomic<bool> aborted_ = false, failed_ = false;
};

using Communicators = std::vector<std::shared_ptr<Communicator>>;

enum class Calls {
  at_once,  ///< they return before the work is on the stream; needs 2.14, with an older library as in_order
  in_order  ///< they return when the work is on the stream; quicker, since at_once costs a thread for each call since 2.19
};

class Nccl {
 public:
  /// Errc::not_found: there is none; Errc::refused: it cannot be loaded or lacks functions.
  static Result<Nccl> open();
  [[nodiscard]] const std::string& version() const { return version_; }  ///< "2.28.9"
  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] Result<NcclId> new_id() const;
  /// Joins on the current context's device. With Calls::at_once it returns before the others have come; settle() waits for them.
  [[nodiscard]] Result<std::shared_ptr<Communicator>> join(const NcclId&, int rank, int world, Calls) const;
  /// One communicator of all these devices in this process.
  [[nodiscard]] Result<Communicators> join_all(std::span<const int> ordinals) const;
  /// Makes the calls in `calls` one: needed for several ranks in one thread, and for sends and receives that must go on together.
  Status together(const std::function<Status()>& calls) const;

 private:
  std::shared_ptr<const nccl::Functions> functions_;
  std::string version_, path_;
};

}  // namespace vt::gpu
