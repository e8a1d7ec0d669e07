#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "orchestrator/host/fd.hpp"
#include "orchestrator/model/plan.hpp"
#include "orchestrator/model/result.hpp"

struct ssh_channel_struct;

namespace vt {

class SshConnection;

/// A way through the jump host: a direct-tcpip channel whose bytes a thread moves to and from one end of a socket
/// pair. At most 32 KiB wait in each direction. The destructor closes both ends and ends the thread.
class SshTunnel {
 public:
  /// To host.address:host.port through host.jump. Errors name the jump host.
  static Result<std::unique_ptr<SshTunnel>> open(const HostSpec& host, Deadline);
  ~SshTunnel();
  /// The near end, once; a stream socket that does not block.
  Fd take_socket() { return std::move(near_); }

 private:
  SshTunnel() = default;
  void pump();
  bool to_host(std::string& pending);
  bool from_host(std::string& pending);

  std::shared_ptr<SshConnection> via_;
  ssh_channel_struct* channel_ = nullptr;
  Fd near_, far_;
  std::atomic<bool> stop_{false};
  bool moved_ = false;  ///< the thread's own: there may be more at once
  std::thread thread_;
};

/// "user@host:port" with host.jump_key pinned; user and port default to the target's user and 22.
Result<HostSpec> jump_access(const HostSpec& host);

}  // namespace vt
