#include "orchestrator/host/tcp.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <cerrno>
#include <cstring>

#include "orchestrator/host/resolve.hpp"
#include "orchestrator/model/failpoint.hpp"

namespace vt {

namespace {

template <class T>
void set(int socket, int level, int option, T value) {
  ::setsockopt(socket, level, option, &value, sizeof value);  // comfort only: a kernel without one still works
}

void watch_for_dead_network(int socket) {
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000U);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
}

Errc kind_of(int error) { return error == ETIMEDOUT ? Errc::timeout : Errc::transport; }

std::string explain(int error, const SocketAddress& to) {
  if (error == ECONNREFUSED) return "TCP: " + to.text() + " refused the connection; is an SSH server running on that port?";
  if (error == ETIMEDOUT) return "TCP: no answer from " + to.text() + " in time; host off, wrong address or a firewall";
  return "TCP: " + to.text() + ": " + std::strerror(error);
}

/// 0, or what failed as an errno.
int wait_connected(int socket, Deadline deadline) {
  while (true) {
    pollfd p{socket, POLLOUT, 0};
    int n = ::poll(&p, 1, static_cast<int>(deadline.left().count()));
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) break;
    if (deadline.passed()) return ETIMEDOUT;
  }
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

Result<Fd> connect_to(const SocketAddress& to, Deadline deadline) {
  VT_FAILPOINT("tcp.connect");
  Fd socket(::socket(to.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return fail(Errc::internal, std::string("TCP: no socket: ") + std::strerror(errno));
  watch_for_dead_network(socket.get());
  int error = 0;
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to.bytes), to.size) != 0)
    error = errno == EINPROGRESS ? wait_connected(socket.get(), deadline) : errno;
  if (error) return fail(kind_of(error), explain(error, to));
  return socket;
}

}  // namespace

Result<Fd> connect_tcp(const std::string& name, int port, Deadline deadline) {
  VT_TRY(auto addresses, resolve(name, port, deadline));
  Error last{Errc::not_found, "name: no address for '" + name + "'"};
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    auto share = deadline.left() / static_cast<int>(addresses.size() - i);
    auto socket = connect_to(addresses[i], deadline.earlier(share));
    if (socket) return socket;
    last = socket.error();
  }
  return fail(last);
}

}  // namespace vt
