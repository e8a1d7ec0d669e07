#include "providers/emulator/hosts/network.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace vt::emulator {

namespace {

constexpr int kBacklog = 64;

tl::unexpected<Error> failed(const std::string& what) { return fail(Errc::internal, what + ": " + std::strerror(errno)); }

Fd this_network() { return Fd(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)); }

Result<sockaddr_in> socket_address(const std::string& address, int port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(static_cast<std::uint16_t>(port));
  if (inet_pton(AF_INET, address.c_str(), &out.sin_addr) != 1) return fail(Errc::config, address + " is not an IPv4 address");
  return out;
}

ifreq device(const char* name) {
  ifreq request{};
  std::strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  return request;
}

/// One more address for the loopback device of the calling thread's network.
Status add_address(const Fd& socket, const std::string& address) {
  VT_TRY(sockaddr_in bytes, socket_address(address, 0));
  ifreq request = device("lo:1");
  std::memcpy(&request.ifr_addr, &bytes, sizeof bytes);
  if (ioctl(socket.get(), SIOCSIFADDR, &request) != 0) return failed(address + " on the loopback device");
  bytes.sin_addr.s_addr = 0xffffffff;
  std::memcpy(&request.ifr_netmask, &bytes, sizeof bytes);
  if (ioctl(socket.get(), SIOCSIFNETMASK, &request) != 0) return failed("netmask of " + address);
  return {};
}

Status raise_loopback(const std::string& further_address) {
  Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request = device("lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING | IFF_LOOPBACK;
  if (!socket || ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0) return failed("raise the loopback device");
  if (further_address.empty()) return {};
  return add_address(socket, further_address);
}

}  // namespace

Network::Visit::Visit(const Network& network) : network_(network) {
  // A thread that cannot come home, or works in the wrong place, must not go on.
  if (network_.own() && setns(network_.inside_.get(), CLONE_NEWNET) != 0) std::abort();
}

Network::Visit::~Visit() {
  if (network_.own() && setns(network_.outside_.get(), CLONE_NEWNET) != 0) std::abort();
}

Result<Network> Network::make(const std::string& further_address) {
  Network network;
  network.outside_ = this_network();
  if (!network.outside_ || unshare(CLONE_NEWNET) != 0) return failed("a network of its own");
  network.inside_ = this_network();
  auto raised = raise_loopback(further_address);
  if (setns(network.outside_.get(), CLONE_NEWNET) != 0) std::abort();
  if (!network.inside_) return failed("a handle of the new network");
  VT_CHECK(raised);
  return network;
}

Result<Fd> Network::listen(const std::string& address, int port) const {
  VT_TRY(sockaddr_in bytes, socket_address(address, port));
  Visit visit(*this);
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  int yes = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(socket.get(), reinterpret_cast<sockaddr*>(&bytes), sizeof bytes) != 0 || ::listen(socket.get(), kBacklog) != 0)
    return failed("listen on " + address + ":" + std::to_string(port));
  return socket;
}

Result<Fd> Network::connect(const std::string& address, int port) const {
  VT_TRY(sockaddr_in bytes, socket_address(address, port));
  Visit visit(*this);
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  int yes = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&bytes), sizeof bytes) != 0 && errno != EINPROGRESS)
    return failed("connect to " + address + ":" + std::to_string(port));
  return socket;
}

int port_of(const Fd& listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  return getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0 ? ntohs(address.sin_port) : 0;
}

Result<int> free_port() {
  VT_TRY(Fd listener, Network().listen("127.0.0.1", 0));
  return port_of(listener);
}

}  // namespace vt::emulator
