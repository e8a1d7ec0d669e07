#pragma once
#include <atomic>

namespace vt {

/// Set by signals: once = end what runs, give everything back; twice = do not wait for confirmation either.
/// Only an atomic counter, so that a signal handler may raise it.
class StopFlag {
 public:
  void raise() { count_.fetch_add(1); }
  [[nodiscard]] bool requested() const { return count_.load() > 0; }
  [[nodiscard]] bool urgent() const { return count_.load() > 1; }

 private:
  std::atomic<int> count_{0};
};

}  // namespace vt
