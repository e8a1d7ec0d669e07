#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "tests/doubles/host/host.hpp"
#include "tests/doubles/nccl/abi.hpp"
#include "tests/doubles/nccl/meeting.hpp"

namespace vt::doubles {

/// One rank, as long as anything of it is going on. Faults that strike it (gpus.json; "gpu" is the rank, "where" the operation):
///   nccl-init    joining is refused with "code"
///   nccl-hang    the call never returns until the communicator is aborted
///   nccl-stuck   the call returns, and its work never ends until then
///   nccl-slow    its work takes "after_ms" longer
///   nccl-wrong   "bit" of byte "offset" of what it leaves is flipped
///   nccl-dead    the process is killed
struct Rank {
  int rank = 0, world = 1;
  bool at_once = false;  ///< calls return ncclInProgress
  std::atomic<bool> aborted = false, busy = false;
  std::atomic<ncclResult_t> error = ncclSuccess;

  [[nodiscard]] std::shared_ptr<Meeting> meeting();
  void meet(std::shared_ptr<Meeting>);
  [[nodiscard]] const Fault* strikes(const char* kind, const std::string& operation) const;
  void hang() const;
  /// False: it ended with an error, which is kept.
  bool exchange(std::vector<Part>);

 private:
  std::mutex mutex_;
  std::shared_ptr<Meeting> meeting_;
};

/// One call: what a rank gives away and takes, and what it makes of it.
struct Call {
  std::shared_ptr<Rank> rank;
  std::string operation;
  cudaStream_t stream = nullptr;
  std::vector<Part> parts;
  std::function<void()> then;
  void* left = nullptr;  ///< where its result begins
};

/// Does a call now or at the end of the group, on its stream if libcuda's double is there, and before it returns otherwise.
ncclResult_t submit(Call call);
void begin_group();
ncclResult_t end_group();

/// What NCCL_DEBUG=INFO has NCCL write.
void log(const Rank&, const std::string& text);

}  // namespace vt::doubles

struct ncclComm {
  std::shared_ptr<vt::doubles::Rank> rank;
};
