#include "remote-agent/channel.hpp"

#include <fcntl.h>

#include <nlohmann/json.hpp>

#include "remote-agent/lines.hpp"

namespace vt::agent {

using nlohmann::json;

Channel::Channel() : out_(fcntl(1, F_DUPFD_CLOEXEC, 3)), ends_(boot_ms()) { dup2(2, 1); }

std::optional<checks::Task> Channel::read_task(std::int64_t ms) {
  auto frame = frame_of(next_line(ms));
  if (!frame) return std::nullopt;
  checks::Task task;
  task.args = frame->value("args", json::object());
  if (!task.args.is_object()) task.args = json::object();
  task.group = group_ = text_in(*frame, "group");
  task.rank = static_cast<int>(number_in(*frame, "rank", 0)), task.world = static_cast<int>(number_in(*frame, "world", 1));
  task.deadline_ms = number_in(*frame, "deadline_ms", task.deadline_ms);
  ends_ = boot_ms() + task.deadline_ms;
  return task;
}

void Channel::send(const json& frame) {
  std::lock_guard hold(mutex_);
  write_all(out_.get(), line_of(frame));
}

void Channel::progress(const std::string& text, double fraction) { send({{"t", "progress"}, {"text", text}, {"fraction", fraction}}); }

void Channel::metric(const std::string& name, double value, const std::string& unit, const std::string& device) {
  send({{"t", "metric"}, {"name", name}, {"value", value}, {"unit", unit}, {"device", device}});
}

void Channel::publish(const std::string& key, const std::string& base64) {
  send({{"t", "publish"}, {"group", group_}, {"key", key}, {"data", base64}});
}

void Channel::ask(const std::string& key) { send({{"t", "await"}, {"group", group_}, {"key", key}}); }

std::optional<std::string> Channel::await(const std::string& key) {
  ask(key);
  while (!delivered_.contains(key)) {
    auto frame = frame_of(next_line(ends_ - boot_ms()));
    if (!frame) return std::nullopt;
    delivered_[text_in(*frame, "key")] = text_in(*frame, "data");
  }
  return delivered_[key];
}

std::optional<std::map<std::string, std::string>> Channel::take() {
  auto open = true;
  while (open && wait_readable(input(), 0)) {
    auto chunk = read_chunk(input());
    open = !chunk.end && in_.feed(chunk.bytes);
  }
  while (auto line = in_.next())
    if (auto frame = frame_of(*line)) delivered_[text_in(*frame, "key")] = text_in(*frame, "data");
  if (!open && delivered_.empty()) return std::nullopt;
  return std::exchange(delivered_, {});
}

std::string Channel::next_line(std::int64_t ms) {
  for (auto end = boot_ms() + ms;;) {
    if (auto line = in_.next()) return *line;
    if (!wait_readable(input(), end - boot_ms())) return "";
    auto chunk = read_chunk(input());
    if (chunk.end || !in_.feed(chunk.bytes)) return "";
  }
}

}  // namespace vt::agent
