#include "tests/support/tcp_proxy.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

namespace vt::test {

namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void reset(int socket) {
  linger now{1, 0};
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close(socket);
}

}  // namespace

struct TcpProxy::Relay {
  int client, server;
  std::int64_t given = 0;
  Relay(int c, int s) : client(c), server(s) {}
  Relay(const Relay&) = delete;
  ~Relay() { reset(client), reset(server); }
};

TcpProxy::TcpProxy(int target_port) : listener_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)), target_(target_port) {
  auto address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 64) != 0) throw std::runtime_error("no proxy");
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

TcpProxy::~TcpProxy() {
  stop_ = true;
  thread_.join();
  close(listener_);
}

/// Moves what is there; false: the relay is over.
bool TcpProxy::pass(Relay& relay) {
  char buffer[32 * 1024];
  auto up = recv(relay.client, buffer, sizeof buffer, MSG_DONTWAIT);
  if (up == 0 || (up > 0 && send(relay.server, buffer, static_cast<std::size_t>(up), MSG_NOSIGNAL) != up)) return false;
  if (up > 0) to_server_ += up;
  std::size_t most = sizeof buffer;
  if (auto limit = cut_after_.load(); limit >= 0)
    most = std::min(most, static_cast<std::size_t>(std::max<std::int64_t>(limit - relay.given, 0)));
  auto down = most ? recv(relay.server, buffer, most, MSG_DONTWAIT) : 0;
  if (down == 0 || (down > 0 && send(relay.client, buffer, static_cast<std::size_t>(down), MSG_NOSIGNAL) != down)) return false;
  if (down > 0) to_client_ += down, relay.given += down;
  return true;
}

void TcpProxy::serve() {
  std::vector<std::unique_ptr<Relay>> relays;
  while (!stop_) {
    std::vector<pollfd> fds{{listener_, POLLIN, 0}};
    for (auto& relay : relays) fds.push_back({relay->client, POLLIN, 0}), fds.push_back({relay->server, POLLIN, 0});
    poll(fds.data(), frozen_ ? 1 : fds.size(), 5);
    if (cut_now_.exchange(false)) relays.clear();
    if (int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); client >= 0) {
      ++connections_;
      int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      auto address = loopback(target_);
      auto relay = std::make_unique<Relay>(client, server);
      if (!refuse_ && connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) relays.push_back(std::move(relay));
    }
    if (!frozen_) std::erase_if(relays, [this](auto& relay) { return !pass(*relay); });
  }
}

}  // namespace vt::test
