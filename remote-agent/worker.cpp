#include "remote-agent/worker.hpp"

#include <fcntl.h>

#include <exception>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/lines.hpp"
#include "remote-agent/base/os.hpp"

namespace vt::agent {

namespace {

using nlohmann::json;

/// Frames out, orders in. Standard output itself then goes where standard error goes: libraries a check loads may print.
class Channel final : public checks::Reporter {
 public:
  Channel() : out_(fcntl(1, F_DUPFD_CLOEXEC, 3)), ends_(boot_ms()) { dup2(2, 1); }

  checks::Task read_task() {
    auto line = next_line(10'000);
    auto frame = frame_of(line).value_or(json::object());
    checks::Task task;
    task.args = frame.value("args", json::object());
    if (!task.args.is_object()) task.args = json::object();
    task.group = group_ = text_in(frame, "group");
    task.rank = static_cast<int>(number_in(frame, "rank", 0)), task.world = static_cast<int>(number_in(frame, "world", 1));
    task.deadline_ms = number_in(frame, "deadline_ms", task.deadline_ms);
    ends_ = boot_ms() + task.deadline_ms;
    return task;
  }
  void send(const json& frame) {
    std::lock_guard hold(mutex_);
    write_all(out_.get(), line_of(frame));
  }
  void progress(const std::string& text, double fraction) override { send({{"t", "progress"}, {"text", text}, {"fraction", fraction}}); }
  void metric(const std::string& name, double value, const std::string& unit, const std::string& device) override {
    send({{"t", "metric"}, {"name", name}, {"value", value}, {"unit", unit}, {"device", device}});
  }
  void publish(const std::string& key, const std::string& base64) override {
    send({{"t", "publish"}, {"group", group_}, {"key", key}, {"data", base64}});
  }
  std::optional<std::string> await(const std::string& key) override {
    send({{"t", "await"}, {"group", group_}, {"key", key}});
    while (!delivered_.contains(key)) {
      auto frame = frame_of(next_line(ends_ - boot_ms()));
      if (!frame) return std::nullopt;
      delivered_[text_in(*frame, "key")] = text_in(*frame, "data");
    }
    return delivered_[key];
  }

 private:
  /// Empty when there was none in time.
  std::string next_line(std::int64_t ms) {
    for (auto end = boot_ms() + ms;;) {
      if (auto line = in_.next()) return *line;
      if (!wait_readable(0, end - boot_ms())) return "";
      auto chunk = read_chunk(0);
      if (chunk.end || !in_.feed(chunk.bytes)) return "";
    }
  }

  Fd out_;
  std::mutex mutex_;
  std::int64_t ends_;
  std::string group_;
  protocol::LineReader in_;
  std::map<std::string, std::string> delivered_;
};

}  // namespace

int work(const std::string& name) try {
  Channel channel;
  auto task = channel.read_task();
  auto* check = checks::find(name);
  auto outcome = check ? check->run(task, channel) : checks::Outcome{{}, "", "this agent has no check '" + name + "'"};
  channel.send({{"t", "values"}, {"values", outcome.values}, {"device", outcome.device}, {"error", outcome.error}});
  return 0;
} catch (const std::exception&) {
  return 70;  // out of memory, or no threads: the supervisor reports the status
}

}  // namespace vt::agent
