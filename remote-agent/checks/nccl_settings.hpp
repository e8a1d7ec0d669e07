#pragma once
#include <string>

#include "remote-agent/checks/check.hpp"

namespace vt::checks {

/// What NCCL reads from the environment, set from a check's arguments while it lives. Make it before NCCL is opened: NCCL reads each
/// variable once per process.
///   args.p2p, args.shm, args.ib, args.nvls: false switches that transport off (NCCL_P2P_DISABLE=1, …, NCCL_NVLS_ENABLE=0)
///   args.interface: NCCL_SOCKET_IFNAME; args.algo: NCCL_ALGO; args.proto: NCCL_PROTO
/// It also has NCCL write down what it chooses (NCCL_DEBUG=INFO) into a file of this process.
class NcclSettings {
 public:
  explicit NcclSettings(const Task&);
  ~NcclSettings();
  NcclSettings(const NcclSettings&) = delete;
  NcclSettings& operator=(const NcclSettings&) = delete;
  /// What NCCL has written so far.
  [[nodiscard]] std::string log() const;

 private:
  std::string log_;  ///< path; empty: no file could be made
};

}  // namespace vt::checks
