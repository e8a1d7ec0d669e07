#include "orchestrator/host/watchdog.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace vt {

struct Watchdog::Entry {
  std::vector<int> sockets;
  std::chrono::steady_clock::time_point at;
  bool fired = false;  ///< guarded by the keeper's mutex
};

namespace {

class Keeper {
 public:
  Keeper() : thread_([this] { serve(); }) {}
  ~Keeper() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  void add(std::shared_ptr<Watchdog::Entry> entry) {
    std::lock_guard lock(mutex_);
    bool sooner = entry->at < next();
    entries_.push_back(std::move(entry));
    if (sooner) changed_.notify_one();
  }
  void remove(const std::shared_ptr<Watchdog::Entry>& entry) {
    std::lock_guard lock(mutex_);
    std::erase(entries_, entry);
  }
  bool fired(const Watchdog::Entry& entry) {
    std::lock_guard lock(mutex_);
    return entry.fired;
  }

 private:
  using Time = std::chrono::steady_clock::time_point;

  [[nodiscard]] Time next() const {
    Time soonest = Time::max();
    for (auto& entry : entries_)
      if (!entry->fired) soonest = std::min(soonest, entry->at);
    return soonest;
  }

  void serve() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
      fire(std::chrono::steady_clock::now());
      if (auto at = next(); at == Time::max()) changed_.wait(lock);
      else changed_.wait_until(lock, at);
    }
  }

  /// With the mutex held, so that a socket is never shut down after its guard has gone.
  void fire(Time now) {
    for (auto& entry : entries_) {
      if (entry->fired || entry->at > now) continue;
      entry->fired = true;
      for (int socket : entry->sockets) ::shutdown(socket, SHUT_RDWR);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Watchdog::Entry>> entries_;
  bool stop_ = false;
  std::thread thread_;
};

Keeper& keeper() {
  static Keeper instance;
  return instance;
}

}  // namespace

Watchdog::Watchdog(std::vector<int> sockets, Deadline deadline)
    : entry_(std::make_shared<Entry>(Entry{std::move(sockets), deadline.at(), false})) {
  keeper().add(entry_);
}
Watchdog::~Watchdog() { keeper().remove(entry_); }
bool Watchdog::fired() const { return keeper().fired(*entry_); }

}  // namespace vt
