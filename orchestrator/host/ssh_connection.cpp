#include "orchestrator/host/ssh_connection.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>

#include "orchestrator/host/ssh_auth.hpp"
#include "orchestrator/host/ssh_handles.hpp"
#include "orchestrator/host/ssh_host_key.hpp"
#include "orchestrator/host/ssh_options.hpp"
#include "orchestrator/host/ssh_tunnel.hpp"
#include "orchestrator/host/tcp.hpp"
#include "orchestrator/host/watchdog.hpp"
#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

/// libssh closes the descriptor it was given in some of its error paths and leaves it open in the others (0.10.6), so
/// it is closed here only if it still is this socket.
void close_if_same(int lent, int socket) {
  struct stat a {
  }, b{};
  if (lent >= 0 && fstat(lent, &a) == 0 && fstat(socket, &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev) ::close(lent);
}

}  // namespace

Result<std::shared_ptr<SshConnection>> SshConnection::open(const HostSpec& host, Deadline deadline) {
  VT_CHECK(validate_access(host));
  std::shared_ptr<SshConnection> connection(new SshConnection);
  VT_CHECK(connection->reach(host, deadline));
  VT_CHECK(expect_ssh_banner(connection->socket(), deadline));
  VT_CHECK(connection->shake_hands(host, deadline));
  VT_CHECK(check_host_key(connection->session(), host));
  VT_CHECK(authenticate(*connection, host, deadline));
  return connection;
}

SshConnection::~SshConnection() {
  if (session_) {
    Watchdog guard({socket_.get()}, Deadline::after(Duration{500}));
    ssh_disconnect(session_);
    ssh_free(session_);
  }
  if (socket_) close_if_same(lent_, socket_.get());
}

Status SshConnection::reach(const HostSpec& host, Deadline deadline) {
  if (host.jump.empty()) {
    VT_TRY(socket_, connect_tcp(host.address, host.port, deadline));
    return {};
  }
  VT_TRY(tunnel_, SshTunnel::open(host, deadline));
  socket_ = tunnel_->take_socket();
  return {};
}

Status SshConnection::shake_hands(const HostSpec& host, Deadline deadline) {
  VT_FAILPOINT("ssh.handshake");
  lent_ = ::fcntl(socket_.get(), F_DUPFD_CLOEXEC, 0);
  session_ = ssh_new();
  if (lent_ < 0 || !session_) return fail(Errc::internal, "host key: out of memory or file descriptors");
  VT_CHECK(set_ssh_options(session_, host, lent_, deadline.left()));
  ssh_set_blocking(session_, 0);
  VT_TRY(int rc, drive(
                     "host key: key exchange with " + host.address, [this] { return ssh_connect(session_); }, deadline));
  if (rc == SSH_OK) return {};
  return fail(Errc::transport, "host key: key exchange with " + host.address + " failed: " + last_error());
}

Result<int> SshConnection::drive(const std::string& what, const std::function<int()>& step, Deadline deadline) {
  Watchdog guard({socket_.get()}, deadline);
  while (!guard.fired()) {
    int rc = 0;
    {
      std::lock_guard lock(mutex_);
      rc = step();
    }
    if (rc != SSH_AGAIN && !guard.fired()) return rc;
    wait(deadline);
  }
  return fail(Errc::timeout, what + " did not finish in time; the host is frozen, overloaded or cut off");
}

void SshConnection::wait(Deadline deadline) {
  short events = POLLIN;
  {
    std::lock_guard lock(mutex_);
    if (ssh_get_poll_flags(session_) & SSH_WRITE_PENDING) events |= POLLOUT;
  }
  pollfd p{socket_.get(), events, 0};
  ::poll(&p, 1, static_cast<int>(std::min(deadline.left(), Duration{100}).count()));
}

std::string SshConnection::last_error() const { return printable(ssh_get_error(session_)); }

}  // namespace vt
