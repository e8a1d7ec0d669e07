#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace vt {

using Duration = std::chrono::milliseconds;
/// Wall-clock instant: milliseconds since 1970-01-01 UTC, as stored.
using EpochMs = std::int64_t;

/// Time as the program sees it. Tests use ManualClock and never sleep.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual EpochMs wall() const = 0;
  /// Time since boot, counting sleep (CLOCK_BOOTTIME): a laptop that slept past a deadline notices.
  [[nodiscard]] virtual Duration boot() const = 0;
  virtual void sleep(Duration) const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] EpochMs wall() const override;
  [[nodiscard]] Duration boot() const override;
  void sleep(Duration) const override;
};

class ManualClock : public Clock {
 public:
  mutable EpochMs wall_ms = 1'700'000'000'000;
  mutable Duration boot_ms{1000};
  [[nodiscard]] EpochMs wall() const override { return wall_ms; }
  [[nodiscard]] Duration boot() const override { return boot_ms; }
  void sleep(Duration d) const override { wall_ms += d.count(), boot_ms += d; }
};

/// The moment at which a wait ends. Every wait takes one.
class Deadline {
 public:
  static Deadline after(Duration d) { return Deadline(std::chrono::steady_clock::now() + d); }
  [[nodiscard]] Duration left() const;  ///< never negative
  [[nodiscard]] bool passed() const { return left() == Duration::zero(); }
  [[nodiscard]] std::chrono::steady_clock::time_point at() const { return at_; }
  [[nodiscard]] Deadline earlier(Duration d) const;  ///< the sooner of this and now + d

 private:
  explicit Deadline(std::chrono::steady_clock::time_point at) : at_(at) {}
  std::chrono::steady_clock::time_point at_;
};

/// "2026-11-20T08:30:00Z"
std::string utc_text(EpochMs);
/// "4s", "1m05s", "2h10m", "7d", "3d4h"
std::string short_text(Duration);

}  // namespace vt
