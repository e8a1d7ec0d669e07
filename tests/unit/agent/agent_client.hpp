#pragma once
#include <sys/types.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "remote-agent/protocol/frames.hpp"

namespace vt::test {

using nlohmann::json;

/// A folder of its own below /tmp, with a tmp/ in it for the claim; removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct AgentOptions {
  std::map<std::string, std::string> environment;
  uid_t uid = 0;  ///< to run as, where the test is root
};

/// The real agent over pipes. Every wait ends after ten seconds at most.
class Agent {
 public:
  /// State in <folder>/vault-test-agent, claim in <folder>/tmp. Greeted already, heartbeat every 100 ms.
  explicit Agent(const Folder&, const AgentOptions& = {});
  /// Not greeted.
  Agent(const Folder&, const AgentOptions&, std::vector<std::string> args);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  void send(const json& frame) { write(frame.dump() + "\n"); }
  void write(const std::string& bytes);
  /// The next frame that is no heartbeat; null at the end of the stream or after `ms`.
  json next(int ms = 10'000);
  /// Skips frames until one satisfies it; all are kept in seen().
  json until(const std::function<bool(const json&)>&, int ms = 10'000);
  json until(const std::string& t, const std::string& job = "", int ms = 10'000);
  protocol::JobResult result_of(const std::string& job, int ms = 10'000);
  /// Runs it to its result.
  protocol::JobResult run(const json& job, int ms = 10'000);
  [[nodiscard]] const std::vector<json>& seen() const { return seen_; }
  [[nodiscard]] int heartbeats() const { return heartbeats_; }
  [[nodiscard]] const json& hello() const { return hello_; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  void close_input();
  void kill9();
  int exit_status(int ms = 10'000);  ///< -1: it did not end

 private:
  void start(const Folder&, const AgentOptions&, std::vector<std::string> args);
  pid_t pid_ = 0;
  int in_ = -1, out_ = -1, heartbeats_ = 0;
  protocol::LineReader lines_;
  std::vector<json> seen_;
  json hello_;
};

std::string agent_path();
json command(const std::string& id, std::vector<std::string> argv);
json script(const std::string& id, const std::string& text);
json check(const std::string& id, const std::string& name, json args = json::object());
bool exists(pid_t);  ///< and is no zombie
bool eventually(const std::function<bool()>&, int ms = 5000);
std::string slurp(const std::string& path);
std::int64_t now_ms();
bool sanitized();  ///< built with a sanitizer

}  // namespace vt::test
