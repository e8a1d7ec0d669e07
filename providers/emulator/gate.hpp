#pragma once
#include <cstddef>
#include <memory>

#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/result.hpp"

namespace vt::emulator {

/// What happens to the reply of the request that a connection carries now.
struct Cut {
  enum class How {
    close,     ///< not a byte of it arrives; the connection is closed in order
    reset,     ///< the same, with a TCP reset
    alert,     ///< a fatal TLS alert (handshake_failure, RFC 8446 section 6) arrives instead, then the connection is closed
    truncate,  ///< `bytes` bytes of its body arrive, then the connection is closed
    drip,      ///< its bytes, about `bytes` of them, arrive spread over `length`
    last       ///< it arrives whole; then every connection is reset and new ones are refused for `length`
  } how = How::close;
  std::size_t bytes = 0;
  Duration length{0};  ///< real
};

/// A small TCP relay in front of the HTTP server, so that broken connections are real ones.
class Gate {
 public:
  /// Listens on 127.0.0.1:port (0: a free one) and passes on to 127.0.0.1:target.
  static Result<std::unique_ptr<Gate>> open(int port, int target);
  ~Gate();
  [[nodiscard]] int port() const;
  /// `peer`: the port that the server sees this connection come from.
  void cut(int peer, Cut);
  /// Counts a request on that connection; how many it had before.
  int requests_before(int peer);

 private:
  struct Impl;
  explicit Gate(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

}  // namespace vt::emulator
