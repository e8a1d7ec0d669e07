#pragma once
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include "orchestrator/host/tcp.hpp"
#include "orchestrator/host/transport.hpp"
#include "providers/container/process.hpp"
#include "providers/emulator/hosts/host.hpp"
#include "providers/ssh_keys.hpp"
#include "tests/support/temp_dir.hpp"

namespace vt::test {

using emulator::EmulatedHost;
using emulator::HostMaker;
using emulator::HostOrder;

inline Deadline within(int seconds) { return Deadline::after(std::chrono::seconds(seconds)); }

inline bool eventually(const std::function<bool()>& holds, int seconds = 10) {
  for (auto deadline = within(seconds); !holds(); poll(nullptr, 0, 20))
    if (deadline.passed()) return false;
  return true;
}

/// What a TCP server says to whoever connects and sends `request`; "" if nothing or nobody does.
inline std::string said_at(int port, const std::string& request = "") {
  auto socket = connect_tcp("127.0.0.1", port, within(5));
  if (!socket) return "";
  if (!request.empty() && send(socket->get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) return "";
  std::string text;
  char buffer[4096];
  for (auto deadline = within(5); !deadline.passed();) {
    pollfd p{socket->get(), POLLIN, 0};
    if (poll(&p, 1, 100) <= 0) continue;
    auto n = recv(socket->get(), buffer, sizeof buffer, 0);
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

/// A small web server, where the emulator would be: remembers the requests, answers with what `answer` makes of "METHOD PATH\nBODY".
class Web {
 public:
  explicit Web(std::function<std::string(const std::string&)> answer) : answer_(std::move(answer)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 64) != 0) std::abort();
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  Web(const Web&) = delete;
  Web& operator=(const Web&) = delete;
  ~Web() {
    stop_ = true;
    thread_.join();
    close(listener_);
  }
  [[nodiscard]] int port() const { return port_; }
  /// Whole requests, headers included.
  [[nodiscard]] std::vector<std::string> seen() const {
    std::lock_guard lock(mutex_);
    return seen_;
  }
  [[nodiscard]] bool saw(const std::string& text) const {
    for (auto& request : seen())
      if (request.find(text) != std::string::npos) return true;
    return false;
  }

 private:
  void serve() {
    while (!stop_) {
      pollfd p{listener_, POLLIN, 0};
      if (poll(&p, 1, 50) <= 0) continue;
      Fd peer(accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
      handle(peer.get());
    }
  }
  void handle(int peer) {
    std::string text;
    char buffer[4096];
    std::size_t head = std::string::npos, length = 0;
    while (head == std::string::npos || text.size() < head + 4 + length) {
      auto n = recv(peer, buffer, sizeof buffer, 0);
      if (n <= 0) return;
      text.append(buffer, static_cast<std::size_t>(n));
      head = text.find("\r\n\r\n");
      if (auto at = text.find("Content-Length: "); at != std::string::npos) length = std::stoul(text.substr(at + 16));
    }
    {
      std::lock_guard lock(mutex_);
      seen_.push_back(text);
    }
    std::string body = answer_(text.substr(0, text.find(" HTTP/")) + "\n" + text.substr(head + 4));
    std::string reply = "HTTP/1.1 " + std::string(body == "404" ? "404 Not Found" : "200 OK") +
                        "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
    send(peer, reply.data(), reply.size(), MSG_NOSIGNAL);
  }

  std::function<std::string(const std::string&)> answer_;
  mutable std::mutex mutex_;
  std::vector<std::string> seen_;
  std::atomic<bool> stop_{false};
  int listener_ = -1, port_ = 0;
  std::thread thread_;
};

inline HostOrder order_in(const TempDir& folder, const std::string& id, HostOrder::Kind kind = HostOrder::Kind::pod) {
  HostOrder order;
  order.id = id;
  order.kind = kind;
  order.folder = folder / id;
  std::filesystem::create_directory(order.folder);
  std::filesystem::permissions(order.folder, std::filesystem::perms::owner_all);
  return order;
}

/// The name by which a host that was started can be recognised.
inline std::string mark_of(const HostOrder& order) {
  std::string mark = read_file(order.folder + "/mark");
  EXPECT_TRUE(mark.starts_with("emulated.")) << mark;
  return mark.substr(0, mark.find('\n'));
}

/// What is left on this machine of hosts with these marks.
inline std::string traces(const std::vector<std::string>& marks) {
  std::string found;
  for (auto& mark : marks) {
    for (auto& process : scan_processes().marked)
      if (process.pod == mark) found += "process " + std::to_string(process.pid) + "; ";
    if (shell("find /sys/fs/cgroup -type d -name 'vt-pod." + mark + "' 2>/dev/null | grep -q .") == 0) found += "a cgroup; ";
    if (std::filesystem::exists("/run/systemd/nspawn/propagate/vt-pod." + mark)) found += "nspawn's folder; ";
  }
  return found;
}

/// Mount points below a folder that this process sees.
inline bool has_mounts(const TempDir& folder) { return shell("grep -q ' " + folder.path() + "/' /proc/self/mountinfo") == 0; }

}  // namespace vt::test
