#pragma once
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/protocol/frames.hpp"

namespace vt::agent {

/// What a worker says and hears: frames out on standard output, orders in on standard input. Standard output itself then goes where
/// standard error goes: libraries a check loads may print. Sending is safe from any thread, the rest is for one.
class Channel final : public checks::Reporter {
 public:
  Channel();

  /// The task line; nullopt if none came within `ms` or nobody can send one any more.
  std::optional<checks::Task> read_task(std::int64_t ms);
  void send(const nlohmann::json& frame);
  void progress(const std::string& text, double fraction) override;
  void metric(const std::string& name, double value, const std::string& unit, const std::string& device) override;
  void publish(const std::string& key, const std::string& base64) override;
  std::optional<std::string> await(const std::string& key) override;

  /// For one that waits for other things too: says that `key` is awaited. What was delivered is in take() when input() is readable.
  void ask(const std::string& key);
  [[nodiscard]] int input() const { return 0; }
  /// What came since, without waiting; nullopt: nothing will come any more.
  std::optional<std::map<std::string, std::string>> take();

 private:
  /// Empty when there was none in time.
  std::string next_line(std::int64_t ms);

  Fd out_;
  std::mutex mutex_;
  std::int64_t ends_;
  std::string group_;
  protocol::LineReader in_;
  std::map<std::string, std::string> delivered_;
};

}  // namespace vt::agent
