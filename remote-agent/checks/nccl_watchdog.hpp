#pragma once
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/gpu/nccl.hpp"

namespace vt::checks {

/// Watches over what one thread asks of NCCL, from a thread of its own: calls may block, and so may waiting for the stream. What takes
/// longer than its patience, or meets an error of the communicator while the stream is waited for, is aborted. What does not even end
/// then within five seconds ends the process (kHung).
class NcclWatchdog {
 public:
  enum class Where { calling, waiting };
  /// `fired(where)` is called on the watchdog's thread, before the abort.
  NcclWatchdog(std::chrono::milliseconds patience, std::function<void(Where)> fired);
  ~NcclWatchdog();
  NcclWatchdog(const NcclWatchdog&) = delete;
  NcclWatchdog& operator=(const NcclWatchdog&) = delete;

  void begin(gpu::Communicators comms);
  /// From here on the stream is waited for, and no call is made. The communicators again: joining makes them.
  void entered(gpu::Communicators comms);
  void end();

  [[nodiscard]] bool timed_out();
  /// The communicator's error that made it abort; empty if there was none.
  [[nodiscard]] std::string trouble();

 private:
  using Clock = std::chrono::steady_clock;
  void watch();
  bool must_fire();
  void fire(std::unique_lock<std::mutex>& hold);

  const std::chrono::milliseconds patience_;
  const std::function<void(Where)> on_fire_;
  std::mutex mutex_;
  std::condition_variable changed_;
  gpu::Communicators comms_;
  Clock::time_point ends_;
  Where where_ = Where::calling;
  bool busy_ = false, over_ = false, timed_out_ = false;
  std::string trouble_;
  std::thread thread_;
};

}  // namespace vt::checks
