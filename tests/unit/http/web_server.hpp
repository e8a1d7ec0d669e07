#pragma once
#include <httplib.h>

#include <string>
#include <thread>

namespace vt::test {

/// An HTTP server on a free port of 127.0.0.1: give `server` its routes, then start().
class WebServer {
 public:
  WebServer() = default;
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;
  ~WebServer() {
    server.stop();
    if (thread_.joinable()) thread_.join();
  }
  void start() {
    port_ = server.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server.listen_after_bind(); });
    while (!server.is_running()) std::this_thread::yield();  // stop() does nothing before
  }
  [[nodiscard]] std::string url(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(port_) + path; }

  httplib::Server server;

 private:
  int port_ = 0;
  std::thread thread_;
};

}  // namespace vt::test
