#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "orchestrator/host/fd.hpp"
#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/result.hpp"

namespace vt::emulator {

/// What a supervisor runs.
struct Supervised {
  std::vector<std::string> command;
  std::string folder;  ///< gets its script, "supervise", and "log" with what the command says
  std::string mark;    ///< a word among the supervisor's arguments by which clear() finds it
  std::string after;   ///< shell commands for when everything of it has ended
};

/// A command and everything it starts, however far that wanders off: a process of ours is the reaper of all of it and kills it
/// when the command ends, when stop() is called, and when the process that made this object dies in whatever way.
class Supervisor {
 public:
  static Result<Supervisor> start(const Supervised&);
  Supervisor(Supervisor&&) noexcept = default;
  Supervisor& operator=(Supervisor&&) = delete;
  ~Supervisor();
  [[nodiscard]] bool alive() const;  ///< the command runs, or its remains are being cleared away
  Status stop(Deadline);             ///< success if nothing is left; a second call is fine

 private:
  Supervisor() = default;

  Fd lifeline_;  ///< its closing is the order to end
  Fd process_;   ///< pidfd of the supervisor, our child
};

}  // namespace vt::emulator
