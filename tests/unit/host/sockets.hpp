#pragma once
#include <arpa/inet.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "orchestrator/host/fd.hpp"

namespace vt::test {

/// A listening socket on 127.0.0.1 that the test serves by hand.
class Listener {
 public:
  explicit Listener(int backlog = 16) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = at(0);
    socklen_t size = sizeof address;
    if (bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(socket_.get(), backlog) != 0) socket_.reset();
    getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] Fd accept_one() const { return Fd(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }
  void close() { socket_.reset(); }
  /// Connects until the queue is full: the kernel then drops further attempts, as a firewall would.
  void fill_queue() {
    for (int i = 0; i < 8; ++i) {
      Fd client(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      auto address = at(port_);
      (void)::connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
      queued_.push_back(std::move(client));
    }
  }

 private:
  static sockaddr_in at(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  Fd socket_;
  int port_ = 0;
  std::vector<Fd> queued_;
};

inline void send_text(const Fd& socket, const std::string& text) { (void)!::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL); }

}  // namespace vt::test
