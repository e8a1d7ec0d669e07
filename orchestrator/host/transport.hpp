#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "orchestrator/model/allocation.hpp"
#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/result.hpp"

namespace vt {

/// One remote command: a bidirectional byte stream with an exit status. Used by one thread at a time; closing (the
/// destructor) never blocks longer than a second.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Writes all of it, or an error (timeout, transport).
  virtual Status write(std::string_view bytes, Deadline) = 0;
  virtual Status close_input() = 0;
  enum class From { out, err };
  struct Chunk {
    std::string bytes;  ///< empty with end=false: nothing arrived before the deadline
    From from = From::out;
    bool end = false;  ///< both streams are at their end (a real EOF, never a timeout)
  };
  /// Waits for the next bytes until the deadline. A lost connection is Errc::transport, never an end.
  virtual Result<Chunk> read(Deadline) = 0;
  /// Exit status after the end. Errc::transport if the peer sent none: such a command did not succeed.
  virtual Result<int> exit_status(Deadline) = 0;
};

struct Traits {
  bool survives_disconnect = false;  ///< a new connection reaches the same host, so that a job can be attached again
  bool survives_reboot = false;
  bool has_pty = false;
};

/// A way to run commands on one host: ssh, local, later kubectl exec and srun. No SSH type crosses this line.
class Transport {
 public:
  virtual ~Transport() = default;
  [[nodiscard]] virtual Traits traits() const = 0;
  /// Starts `command` under the remote user's shell. Never contains plan text that is not quoted.
  virtual Result<std::unique_ptr<Stream>> open(std::string_view command, Deadline) = 0;
  /// The host as people name it: "vault@cube-01.lan:22", "this machine".
  [[nodiscard]] virtual std::string where() const = 0;
};

/// Connects to the host: local if access.address is empty, else SSH with the pinned host key. The error names the phase
/// that failed: "name: …", "TCP: …", "banner: …", "host key: …", "auth: …", "exec: …" (Errc::host_key for the host key).
Result<std::unique_ptr<Transport>> connect(const Host&, Deadline);

struct ExecResult {
  int exit_code = 0;
  std::string out, err;  ///< at most 1 MiB each; more is dropped
};
/// Runs a command to its end. A non-zero exit is a result, not an error.
Result<ExecResult> exec(Transport&, std::string_view command, std::string_view input, Deadline);

}  // namespace vt
