#pragma once
#include <string>
#include <vector>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/miscompares.hpp"

namespace vt::checks {

/// Two devices, ordered: data goes from one to the other. With one device both are that one.
struct Pair {
  gpu::Device* from;
  gpu::Device* to;
  [[nodiscard]] std::string text() const;  ///< "GPU 0 (GPU-a…) -> GPU 1 (GPU-b…)"
};
/// Every ordered pair of different devices; of a single device the one with itself.
std::vector<Pair> pairs_of(const std::vector<gpu::Device*>&);
std::vector<gpu::Device*> pointers(const gpu::Devices&);

/// How data gets from one device to the other.
enum class Path {
  copy,   ///< the driver copies from device to device; over the link once `from` reaches `to`, else through the host as it sees fit
  host,   ///< two copies of ours, through pinned memory of the host
  write,  ///< a kernel of the sending device writes into the other's memory: needs peer access
  read,   ///< a kernel of the receiving device reads the other's memory: needs peer access
};
std::string_view name(Path);

/// What one transfer left at its destination.
struct Arrived {
  kernels::Miscompares wrong;
  std::size_t words = 0;
  bool stale = false;  ///< the old data is still there: the copy was dropped, though the driver reported success
  [[nodiscard]] std::string text() const;
};

/// The memory of both ends of a pair, and transfers that are verified on the receiving device.
class Transfers {
 public:
  static Result<Transfers> make(const Pair&, std::size_t most_bytes);
  /// Fills both ends with different data that no other pair, path or size has, carries, and verifies. `fault`: a bit is turned over
  /// after the arrival.
  Result<Arrived> carry(Path, std::size_t bytes, bool fault);
  /// Just moves the first `bytes`; not finished when it returns.
  Status move(Path, std::size_t bytes, gpu::Stream stream = {});

 private:
  Transfers(const Pair& pair, gpu::Buffer source, gpu::Buffer target)
      : pair_(pair), source_(std::move(source)), target_(std::move(target)) {}
  Pair pair_;
  gpu::Buffer source_, target_;
  gpu::Buffer host_;  ///< pinned by the first transfer that goes through it
};

}  // namespace vt::checks
