#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The wire between orchestrator and agent: one JSON object per line, field "t" names the frame, at most
/// kMaxFrame bytes a line. remote-agent/protocol/README.md has every frame with its fields.
/// This folder knows neither the orchestrator nor the agent; both use it.
namespace vt::protocol {

constexpr int kVersion = 1;
constexpr std::size_t kMaxFrame = 1024 * 1024;
constexpr std::size_t kKeep = 64 * 1024;  ///< bytes of head, and of tail, kept of each output stream
constexpr int kHeartbeatMs = 10'000;      ///< three missed = the agent is dead or frozen

/// What the orchestrator asks the agent to run.
struct Job {
  std::string id;    ///< unique on the host: "<run>/<layer>/<check>#<attempt>"; [A-Za-z0-9._/#-]
  std::string kind;  ///< "agent" (built-in check), "command" (argv), "script" (text given to the interpreter on stdin)
  std::string name;  ///< built-in check, for kind agent
  std::string args;  ///< its arguments, a JSON object as text
  std::vector<std::string> argv;
  std::string script, interpreter;
  std::map<std::string, std::string> environment;  ///< added to a small clean environment; may hold secrets
  std::int64_t deadline_ms = 10'000;
  bool detach = false;  ///< runs under a journal on the host and outlives this connection
  bool root = false;    ///< prefix `sudo -n` where the agent is not root
  std::string group;    ///< rank group, empty = none
  int rank = 0, world = 1;
};

struct Stream {
  std::string head, tail;  ///< valid UTF-8; invalid bytes became U+FFFD
  std::uint64_t bytes = 0, lines = 0;
};

struct JobResult {
  std::string id;
  std::int64_t pid = 0;  ///< of the worker; the same after a re-attach
  std::int64_t started_ms = 0, took_ms = 0;
  std::optional<int> exit_code;
  int signal = 0;
  bool timed_out = false;
  bool lost = false;  ///< its supervisor died (the host was restarted, say): it never came to an end
  Stream out, err;
  std::string values;  ///< JSON object as text: what a built-in check measured
  std::string device;
  std::string error;  ///< why there is no result; empty if it ran
};

nlohmann::json encode(const Job&);
nlohmann::json encode(const JobResult&);  ///< the "result" frame without "seq"
/// nullopt: a required field is missing or of the wrong type. Unknown fields are ignored, so that minor versions mix.
std::optional<Job> decode_job(const nlohmann::json&);
std::optional<JobResult> decode_result(const nlohmann::json&);

/// Replaces invalid UTF-8 by U+FFFD, so that any output fits in a JSON string.
std::string valid_utf8(std::string_view);

/// Parses text that a host sent. Discarded (as json::parse does without exceptions) if it is no JSON or nested deeper than 64:
/// whoever walks the tree recurses per level.
nlohmann::json parse_untrusted(std::string_view);

/// Cuts a byte stream into lines of at most kMaxFrame; a longer line is an error, not a growing buffer.
class LineReader {
 public:
  /// false: a line exceeded the limit; the stream is unusable.
  bool feed(std::string_view bytes);
  std::optional<std::string> next();

 private:
  std::string buffer_;
  std::size_t at_ = 0;     ///< where the next line starts
  std::size_t ready_ = 0;  ///< complete lines not taken yet
  std::size_t open_ = 0;   ///< length of the unfinished last line
};

}  // namespace vt::protocol
