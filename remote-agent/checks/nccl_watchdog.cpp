#include "remote-agent/checks/nccl_watchdog.hpp"

#include <cstdlib>

namespace vt::checks {

namespace {
constexpr auto kLook = std::chrono::milliseconds(5);      ///< the communicator is asked for trouble this often
constexpr auto kAbort = std::chrono::milliseconds(5000);  ///< for what is aborted to come back
}  // namespace

NcclWatchdog::NcclWatchdog(std::chrono::milliseconds patience, std::function<void(Where)> fired)
    : patience_(patience), on_fire_(std::move(fired)), thread_([this] { watch(); }) {}

NcclWatchdog::~NcclWatchdog() {
  {
    std::lock_guard hold(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void NcclWatchdog::begin(gpu::Communicators comms) {
  std::lock_guard hold(mutex_);
  comms_ = std::move(comms), busy_ = true, where_ = Where::calling, ends_ = Clock::now() + patience_;
  changed_.notify_all();
}

void NcclWatchdog::entered(gpu::Communicators comms) {
  std::lock_guard hold(mutex_);
  comms_ = std::move(comms), where_ = Where::waiting;
}

void NcclWatchdog::end() {
  std::lock_guard hold(mutex_);
  busy_ = false, comms_.clear();
  changed_.notify_all();
}

bool NcclWatchdog::timed_out() {
  std::lock_guard hold(mutex_);
  return timed_out_;
}

std::string NcclWatchdog::trouble() {
  std::lock_guard hold(mutex_);
  return trouble_;
}

void NcclWatchdog::watch() {
  std::unique_lock hold(mutex_);
  while (!over_) {
    if (busy_) changed_.wait_for(hold, kLook);
    else changed_.wait(hold);
    if (busy_ && !over_ && must_fire()) fire(hold);
  }
}

/// NCCL's state is asked for only where no call of the other thread can be changing it.
bool NcclWatchdog::must_fire() {
  timed_out_ = Clock::now() >= ends_;
  for (auto& comm : comms_)
    if (auto met = where_ == Where::waiting ? comm->trouble() : Status{}; !met) trouble_ = met.error().what;
  return timed_out_ || !trouble_.empty();
}

void NcclWatchdog::fire(std::unique_lock<std::mutex>& hold) {
  auto where = where_;
  auto comms = comms_;
  hold.unlock();
  on_fire_(where);
  if (comms.empty()) std::_Exit(kHung);  // still joining, and nothing there to abort
  // In threads that nobody waits for: an abort may hang as well.
  for (auto& comm : comms) std::thread([c = comm] { c->abort(); }).detach();
  hold.lock();
  if (!changed_.wait_for(hold, kAbort, [&] { return !busy_ || over_; })) std::_Exit(kHung);
}

}  // namespace vt::checks
