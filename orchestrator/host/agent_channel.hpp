#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "orchestrator/host/transport.hpp"
#include "remote-agent/protocol/frames.hpp"

namespace vt {

/// Frames to and from one running agent process. Any error means that this process, or the way to it, is lost.
class AgentChannel {
 public:
  /// Three times `heartbeat_ms` without a byte counts as dead.
  AgentChannel(std::unique_ptr<Transport>, std::unique_ptr<Stream>, int heartbeat_ms);
  ~AgentChannel();
  Status send(const nlohmann::json& frame);
  /// The next frame; nullopt if none came before the deadline. Heartbeats are not passed on, nor is what a login script
  /// prints before the agent's first frame.
  Result<std::optional<nlohmann::json>> next(Deadline);

 private:
  Result<std::optional<nlohmann::json>> parse(const std::string& line);
  Status take(const Stream::Chunk&);
  Error ended();
  [[nodiscard]] std::string said() const;

  std::unique_ptr<Transport> transport_;  ///< outlives its stream
  std::unique_ptr<Stream> stream_;
  protocol::LineReader lines_;
  std::string stderr_tail_;
  Duration silence_;
  Deadline silent_at_;
  bool greeted_ = false;
};

/// A field of a frame, or the default if it is missing or of another type.
std::string text_field(const nlohmann::json& frame, const char* key);
std::int64_t integer_field(const nlohmann::json& frame, const char* key);
bool flag_field(const nlohmann::json& frame, const char* key);

}  // namespace vt
