#include "providers/emulator/clock.hpp"

#include <cmath>

namespace vt::emulator {

using std::chrono::steady_clock;

Duration Clock::now() const {
  auto real = std::chrono::duration<double, std::milli>(steady_clock::now() - start_).count();
  return Duration{static_cast<Duration::rep>(real / pace_)};
}

Duration Clock::real(Duration emulated) const {
  return Duration{static_cast<Duration::rep>(std::ceil(static_cast<double>(emulated.count()) * pace_))};
}

EpochMs Clock::wall() { return SystemClock().wall(); }

void Clock::after(Duration emulated, std::function<void()> what) {
  std::lock_guard lock(mutex_);
  if (stopped_) return;
  due_.emplace(steady_clock::now() + real(emulated), std::move(what));
  if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
  changed_.notify_all();
}

void Clock::serve() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (due_.empty()) {
      changed_.wait(lock);
    } else if (due_.begin()->first > steady_clock::now()) {
      changed_.wait_until(lock, steady_clock::time_point(due_.begin()->first));
    } else {
      auto what = std::move(due_.begin()->second);
      due_.erase(due_.begin());
      lock.unlock();
      what();
      what = nullptr;  // what it holds goes before the lock is taken again
      lock.lock();
    }
  }
}

void Clock::stop() {
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    due_.clear();
    changed_.notify_all();
  }
  if (thread_.joinable() && thread_.get_id() != std::this_thread::get_id()) thread_.join();
}

}  // namespace vt::emulator
