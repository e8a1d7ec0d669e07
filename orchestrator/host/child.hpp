#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "orchestrator/host/fd.hpp"
#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/result.hpp"

namespace vt {

/// A child process that leads its own process group, with pipes for its standard streams. It is killed with the group
/// when this object goes, and by the kernel when this program does.
class Child {
 public:
  static Result<Child> spawn(const std::vector<std::string>& argv, const std::vector<std::string>& environment);
  Child(Child&&) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();
  /// Exit status, 128 + n for signal n. Errc::timeout if it still runs at the deadline.
  Result<int> wait(Deadline);

  Fd in, out, err;  ///< our ends; they do not block

 private:
  Child() = default;
  pid_t pid_ = -1;
  Fd handle_;  ///< pidfd
};

}  // namespace vt
