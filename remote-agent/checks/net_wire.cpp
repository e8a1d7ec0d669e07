#include "remote-agent/checks/net_wire.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "remote-agent/checks/host_files.hpp"

namespace vt::checks {

namespace {

std::string address_text(const sockaddr* a) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  auto v6 = a->sa_family == AF_INET6;
  auto* raw = v6 ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr)
                 : static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(a)->sin_addr);
  if (v6 && IN6_IS_ADDR_V4MAPPED(static_cast<const in6_addr*>(raw))) raw = static_cast<const char*>(raw) + 12, v6 = false;
  return inet_ntop(v6 ? AF_INET6 : AF_INET, raw, text.data(), text.size()) ? text.data() : "";
}

struct FreeAddresses {
  void operator()(ifaddrs* p) const { freeifaddrs(p); }
};
std::unique_ptr<ifaddrs, FreeAddresses> interfaces() {
  ifaddrs* list = nullptr;
  return std::unique_ptr<ifaddrs, FreeAddresses>(getifaddrs(&list) == 0 ? list : nullptr);
}

bool has_address(const ifaddrs& i) { return i.ifa_addr && (i.ifa_addr->sa_family == AF_INET || i.ifa_addr->sa_family == AF_INET6); }

bool reachable_from_elsewhere(const ifaddrs& i) {
  if (!has_address(i) || !(i.ifa_flags & IFF_UP) || (i.ifa_flags & IFF_LOOPBACK)) return false;
  if (i.ifa_addr->sa_family == AF_INET) return true;
  auto& address = reinterpret_cast<const sockaddr_in6*>(i.ifa_addr)->sin6_addr;
  return !IN6_IS_ADDR_LINKLOCAL(&address);
}

void fast(int socket) {
  int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Result<Listener> listen_on(int family) {
  Listener out;
  out.fd = agent::Fd(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!out.fd) return fail(Errc::transport, std::string("no socket: ") + std::strerror(errno));
  int off = 0;
  sockaddr_storage address{};
  address.ss_family = static_cast<sa_family_t>(family);
  socklen_t length = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  if (family == AF_INET6) setsockopt(out.fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (bind(out.fd.get(), plain, length) != 0 || listen(out.fd.get(), 64) != 0 || getsockname(out.fd.get(), plain, &length) != 0)
    return fail(Errc::transport, std::string("cannot listen: ") + std::strerror(errno));
  out.port =
      ntohs(family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(plain)->sin6_port : reinterpret_cast<sockaddr_in*>(plain)->sin_port);
  return out;
}

int wait_for(int fd, short what, std::int64_t stop_at) {
  pollfd p{fd, what, 0};
  return poll(&p, 1, static_cast<int>(std::clamp<std::int64_t>(stop_at - agent::boot_ms(), 0, 3'600'000)));
}

}  // namespace

Result<Listener> listen_anywhere() {
  auto both = listen_on(AF_INET6);
  return both ? std::move(both) : listen_on(AF_INET);
}

std::optional<agent::Fd> accept_one(const Listener& listener, std::int64_t stop_at) {
  if (wait_for(listener.fd.get(), POLLIN, stop_at) <= 0) return std::nullopt;
  agent::Fd fd(accept4(listener.fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!fd) return std::nullopt;
  fast(fd.get());
  return fd;
}

Result<agent::Fd> connect_to(const std::string& address, int port, std::int64_t stop_at) {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  v4.sin_family = AF_INET, v6.sin6_family = AF_INET6;
  v4.sin_port = v6.sin6_port = htons(static_cast<std::uint16_t>(port));
  bool is_v4 = inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1;
  if (!is_v4 && inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) != 1) return fail(Errc::usage, "'" + address + "' is no address");
  agent::Fd fd(socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  auto because = [&](int error) { return fail(Errc::transport, address + ":" + std::to_string(port) + " (" + std::strerror(error) + ")"); };
  if (!fd) return because(errno);
  auto* to = is_v4 ? reinterpret_cast<sockaddr*>(&v4) : reinterpret_cast<sockaddr*>(&v6);
  if (connect(fd.get(), to, is_v4 ? sizeof v4 : sizeof v6) != 0 && errno != EINPROGRESS) return because(errno);
  if (wait_for(fd.get(), POLLOUT, stop_at) <= 0) return because(ETIMEDOUT);
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) return because(error);
  fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) & ~O_NONBLOCK);
  fast(fd.get());
  return fd;
}

void limit_waits(int socket, std::int64_t stop_at) {
  auto ms = std::max<std::int64_t>(1, stop_at - agent::boot_ms());
  timeval limit{ms / 1000, ms % 1000 * 1000};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

bool send_whole(int socket, const void* data, std::size_t bytes) {
  for (auto* at = static_cast<const char*>(data); bytes > 0;) {
    auto n = send(socket, at, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

bool receive_whole(int socket, void* data, std::size_t bytes) {
  for (auto* at = static_cast<char*>(data); bytes > 0;) {
    auto n = recv(socket, at, bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

std::vector<std::string> own_addresses(const std::string& interface) {
  std::vector<std::string> out;
  auto list = interfaces();
  for (auto* i = list.get(); i; i = i->ifa_next)
    if (interface.empty() ? reachable_from_elsewhere(*i) : has_address(*i) && interface == i->ifa_name)
      out.push_back(address_text(i->ifa_addr));
  return out;
}

int path_mtu(int socket) {
  int mtu = 0;
  socklen_t length = sizeof mtu;
  if (getsockopt(socket, IPPROTO_IP, IP_MTU, &mtu, &length) == 0) return mtu;
  return getsockopt(socket, IPPROTO_IPV6, IPV6_MTU, &mtu, &length) == 0 ? mtu : 0;
}

double link_speed(int socket) {
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length) != 0) return 0;
  auto address = address_text(reinterpret_cast<sockaddr*>(&own));
  auto list = interfaces();
  for (auto* i = list.get(); i; i = i->ifa_next)
    if (has_address(*i) && address_text(i->ifa_addr) == address)
      return std::max(0.0, number_of("/sys/class/net/" + std::string(i->ifa_name) + "/speed").value_or(0));
  return 0;
}

}  // namespace vt::checks
