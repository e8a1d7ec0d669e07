#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "orchestrator/host/fd.hpp"
#include "orchestrator/model/plan.hpp"
#include "orchestrator/model/result.hpp"

struct ssh_session_struct;

namespace vt {

class SshTunnel;

/// One authenticated SSH connection. libssh never blocks here: its calls return at once and the waiting is done on the
/// socket, with a deadline; the watchdog frees a call that blocks nevertheless. The mutex makes streams of one
/// connection usable in different threads.
class SshConnection {
 public:
  /// Through the jump host if there is one. The host key is compared before anything is sent that proves who we are.
  /// Errors begin with the phase: "name: ", "TCP: ", "banner: ", "host key: ", "auth: ".
  static Result<std::shared_ptr<SshConnection>> open(const HostSpec&, Deadline);
  ~SshConnection();
  SshConnection(const SshConnection&) = delete;
  SshConnection& operator=(const SshConnection&) = delete;

  /// Repeats `step` under the mutex until it returns something other than SSH_AGAIN, and returns that. At the deadline
  /// the connection is shut down for good: nobody can tell how far such a step got. `what` opens the error text.
  Result<int> drive(const std::string& what, const std::function<int()>& step, Deadline);
  /// Waits until the socket has something to do, or the deadline, or 100 ms: another stream's thread may have read
  /// what is meant for this one.
  void wait(Deadline);

  [[nodiscard]] ssh_session_struct* session() const { return session_; }
  [[nodiscard]] std::mutex& mutex() { return mutex_; }
  [[nodiscard]] int socket() const { return socket_.get(); }
  /// What libssh says went wrong, safe to print. Call with the mutex held.
  [[nodiscard]] std::string last_error() const;

 private:
  SshConnection() = default;
  Status reach(const HostSpec&, Deadline);
  Status shake_hands(const HostSpec&, Deadline);

  std::unique_ptr<SshTunnel> tunnel_;  ///< outlives the session that runs through it
  Fd socket_;
  int lent_ = -1;  ///< a duplicate of socket_ for libssh
  ssh_session_struct* session_ = nullptr;
  std::mutex mutex_;
};

}  // namespace vt
