#include "orchestrator/host/agent_channel.hpp"

#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

using nlohmann::json;

constexpr std::size_t kStderrTail = 4096;
constexpr Duration kSendTime{15'000};

}  // namespace

std::string text_field(const json& frame, const char* key) {
  auto at = frame.find(key);
  return at != frame.end() && at->is_string() ? at->get<std::string>() : "";
}

std::int64_t integer_field(const json& frame, const char* key) {
  auto at = frame.find(key);
  return at != frame.end() && at->is_number_integer() ? at->get<std::int64_t>() : 0;
}

bool flag_field(const json& frame, const char* key) {
  auto at = frame.find(key);
  return at != frame.end() && at->is_boolean() && at->get<bool>();
}

AgentChannel::AgentChannel(std::unique_ptr<Transport> transport, std::unique_ptr<Stream> stream, int heartbeat_ms)
    : transport_(std::move(transport)), stream_(std::move(stream)), silence_(3 * heartbeat_ms), silent_at_(Deadline::after(silence_)) {}

AgentChannel::~AgentChannel() = default;

/// What was heard before does not count: while nobody asks, nobody listens for heartbeats either.
Status AgentChannel::send(const json& frame) {
  silent_at_ = Deadline::after(silence_);
  return stream_->write(frame.dump(-1, ' ', false, json::error_handler_t::replace) + "\n", Deadline::after(kSendTime));
}

Result<std::optional<json>> AgentChannel::next(Deadline deadline) {
  while (true) {
    while (auto line = lines_.next()) {
      VT_TRY(auto frame, parse(*line));
      if (frame) return frame;
    }
    VT_TRY(auto chunk, stream_->read(deadline.earlier(silent_at_.left())));
    if (chunk.end) return fail(ended());
    if (!chunk.bytes.empty()) {
      VT_CHECK(take(chunk));
    } else if (silent_at_.passed()) {
      return fail(Errc::transport,
                  "agent: nothing heard for " + std::to_string(silence_.count()) + " ms (3 heartbeats); it is frozen or cut off" + said());
    } else if (deadline.passed()) {
      return std::nullopt;
    }
  }
}

Status AgentChannel::take(const Stream::Chunk& chunk) {
  silent_at_ = Deadline::after(silence_);
  if (chunk.from == Stream::From::out) {
    if (lines_.feed(chunk.bytes)) return {};
    return fail(Errc::internal, "agent: it sent a line of more than " + std::to_string(protocol::kMaxFrame) + " bytes");
  }
  stderr_tail_ += chunk.bytes;
  if (stderr_tail_.size() > kStderrTail) stderr_tail_.erase(0, stderr_tail_.size() - kStderrTail);
  return {};
}

Result<std::optional<json>> AgentChannel::parse(const std::string& line) {
  auto frame = protocol::parse_untrusted(line);
  if (frame.is_object() && !text_field(frame, "t").empty()) {
    greeted_ = true;
    if (text_field(frame, "t") == "heartbeat") return std::nullopt;
    return frame;
  }
  if (!greeted_) return std::nullopt;
  return fail(Errc::internal, "agent: it sent something that is not a frame: " + printable(line.substr(0, 80)));
}

Error AgentChannel::ended() {
  auto status = stream_->exit_status(Deadline::after(Duration{1000}));
  return {Errc::transport,
          "agent: ended unexpectedly (" + (status ? "exit " + std::to_string(*status) : status.error().what) + ")" + said()};
}

std::string AgentChannel::said() const {
  auto text = trim(stderr_tail_);
  return text.empty() ? "" : ": " + printable(text);
}

}  // namespace vt
