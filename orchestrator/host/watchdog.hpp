#pragma once
#include <memory>
#include <vector>

#include "orchestrator/model/clock.hpp"

namespace vt {

/// Frees a thread that is stuck in a library call: at the deadline the sockets are shut down, which makes any read or
/// write on them return. Guards the calls made while it lives; after the destructor the sockets are never touched.
/// One thread serves all of them.
class Watchdog {
 public:
  Watchdog(std::vector<int> sockets, Deadline);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  /// The deadline came and the sockets are shut down.
  [[nodiscard]] bool fired() const;

  struct Entry;

 private:
  std::shared_ptr<Entry> entry_;
};

}  // namespace vt
