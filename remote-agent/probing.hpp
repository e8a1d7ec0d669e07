#pragma once
#include <sys/types.h>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "remote-agent/base/os.hpp"
#include "remote-agent/protocol/frames.hpp"

namespace vt::agent {

/// Probes in a child process with a deadline, so that a probe that hangs or crashes costs only what it had not told yet.
class Probing {
 public:
  void start(const std::string& root, const std::string& internet, std::int64_t deadline_ms);
  [[nodiscard]] int fd() const { return pipe_.get(); }
  [[nodiscard]] bool running() const { return static_cast<bool>(pipe_); }
  [[nodiscard]] std::int64_t ends_ms() const { return ends_ms_; }
  /// Reads what has come; the "facts" frame when all has, or when time is up.
  std::optional<nlohmann::json> pump();
  void stop();

 private:
  pid_t child_ = 0;
  Fd pipe_;
  std::int64_t ends_ms_ = 0, start_ticks_ = 0;
  protocol::LineReader lines_;
  std::string facts_;  ///< JSON objects, comma between them
};

}  // namespace vt::agent
