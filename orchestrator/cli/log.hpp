#pragma once
#include <memory>
#include <string>

#include "orchestrator/model/event.hpp"

namespace vt {

/// <state>/vault-test.log: what happened when, for the morning after a night run. Rotated at 4 MiB, three kept, 0600. A log that cannot be
/// written stops nothing: the store has everything.
class RunLog {
 public:
  explicit RunLog(const std::string& state_dir);
  ~RunLog();
  void see(const Event&);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vt
