#pragma once
#include <string>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"

namespace vt::checks {

/// What NCCL reads from the environment, set from a check's arguments. Make it before NCCL is opened: NCCL reads each variable once
/// per process.
///   args.p2p, args.shm, args.ib, args.nvls: false switches that transport off (NCCL_P2P_DISABLE=1, …, NCCL_NVLS_ENABLE=0)
///   args.interface: NCCL_SOCKET_IFNAME; args.algo: NCCL_ALGO; args.proto: NCCL_PROTO
/// It also has NCCL write down what it chooses (NCCL_DEBUG=INFO), into a file in memory that ends with this process.
class NcclSettings {
 public:
  explicit NcclSettings(const Task&);
  /// What NCCL has written so far.
  [[nodiscard]] std::string log() const;

 private:
  agent::Fd log_;
};

}  // namespace vt::checks
