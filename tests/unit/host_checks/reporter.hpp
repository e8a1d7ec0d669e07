#pragma once
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

#include "remote-agent/checks/check.hpp"

namespace vt::test {

/// What the ranks of a group have told each other.
class Board {
 public:
  void put(const std::string& key, const std::string& data) {
    std::lock_guard hold(mutex_);
    notes_[key] = data;
    changed_.notify_all();
  }
  std::optional<std::string> wait(const std::string& key, std::chrono::milliseconds most) {
    std::unique_lock hold(mutex_);
    if (!changed_.wait_for(hold, most, [&] { return notes_.contains(key); })) return std::nullopt;
    return notes_[key];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> notes_;
};

/// Listens to a check; ranks that share a board hear each other.
class Listening final : public checks::Reporter {
 public:
  explicit Listening(Board& board, std::chrono::milliseconds patience = std::chrono::seconds(10)) : board_(board), patience_(patience) {}
  void progress(const std::string&, double) override {}
  void metric(const std::string& name, double value, const std::string&, const std::string&) override { metrics[name] = value; }
  void publish(const std::string& key, const std::string& base64) override { board_.put(key, base64); }
  std::optional<std::string> await(const std::string& key) override { return board_.wait(key, patience_); }

  std::map<std::string, double> metrics;

 private:
  Board& board_;
  std::chrono::milliseconds patience_;
};

inline checks::Outcome run(checks::Outcome (*check)(const checks::Task&, checks::Reporter&), nlohmann::json args,
                           std::int64_t deadline_ms = 10'000) {
  Board board;
  Listening report(board);
  checks::Task task;
  task.args = std::move(args), task.deadline_ms = deadline_ms;
  return check(task, report);
}

}  // namespace vt::test
