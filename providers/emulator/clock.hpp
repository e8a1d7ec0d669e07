#pragma once
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "orchestrator/model/clock.hpp"

namespace vt::emulator {

/// Emulated time, and what is to happen in it. With pace 0.01 an emulated hour takes 36 real seconds. Wall-clock times that the
/// APIs show are real ones, so that a client may compare them with its own clock.
class Clock {
 public:
  explicit Clock(double pace) : pace_(pace), start_(std::chrono::steady_clock::now()) {}
  ~Clock() { stop(); }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  [[nodiscard]] Duration now() const;                    ///< emulated time since the start
  [[nodiscard]] Duration real(Duration emulated) const;  ///< how long that takes here
  [[nodiscard]] double pace() const { return pace_; }
  [[nodiscard]] static EpochMs wall();  ///< the real time of day
  /// Calls `what` when that much emulated time has passed, on the one timer thread, with no lock held. It must be short, and must
  /// look for itself whether it still makes sense: nothing is ever cancelled.
  void after(Duration emulated, std::function<void()> what);
  /// Nothing more is called once this returns.
  void stop();

 private:
  void serve();

  const double pace_;
  const std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<std::chrono::steady_clock::time_point, std::function<void()>> due_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace vt::emulator
