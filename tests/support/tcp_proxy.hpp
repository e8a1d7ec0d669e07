#pragma once
#include <atomic>
#include <cstdint>
#include <thread>

namespace vt::test {

/// A TCP relay on 127.0.0.1 that can misbehave. All of it may be called while it runs.
class TcpProxy {
 public:
  explicit TcpProxy(int target_port);
  ~TcpProxy();
  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] int connections() const { return connections_; }       ///< accepted so far
  [[nodiscard]] std::int64_t to_client() const { return to_client_; }  ///< bytes passed so far
  [[nodiscard]] std::int64_t to_server() const { return to_server_; }

  /// Resets each connection once this many bytes went to its client; exactly so many arrive. -1 = never.
  void cut_after(std::int64_t bytes) { cut_after_ = bytes; }
  /// Resets the connections there are now.
  void cut() { cut_now_ = true; }
  /// Passes nothing on, keeps everything open.
  void freeze(bool frozen) { frozen_ = frozen; }
  /// Accepts and closes at once.
  void refuse(bool refuse) { refuse_ = refuse; }

 private:
  struct Relay;
  void serve();
  bool pass(Relay&);

  int listener_ = -1, port_ = 0, target_;
  std::atomic<int> connections_{0};
  std::atomic<std::int64_t> to_client_{0}, to_server_{0}, cut_after_{-1};
  std::atomic<bool> cut_now_{false}, frozen_{false}, refuse_{false}, stop_{false};
  std::thread thread_;
};

}  // namespace vt::test
