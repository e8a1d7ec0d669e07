#include <poll.h>
#include <unistd.h>

#include <fstream>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"

namespace vt::checks {

/// Does nothing for args.seconds and says so ten times a second. Appends a line to args.file, if given, so that a test can
/// count how often it was started.
Outcome nap(const Task& task, Reporter& report) {
  if (auto path = task.text("file"); !path.empty()) {
    std::ofstream file(path, std::ios::app);
    if (!(file << getpid() << std::endl)) return {{}, "", "cannot write " + path};
  }
  auto wanted = static_cast<std::int64_t>(task.number("seconds", 1) * 1000), start = agent::boot_ms();
  for (std::int64_t slept = 0; slept < wanted; slept = agent::boot_ms() - start) {
    report.progress("sleeping", static_cast<double>(slept) / static_cast<double>(wanted));
    poll(nullptr, 0, static_cast<int>(std::min<std::int64_t>(100, wanted - slept)));
  }
  return {{{"seconds", static_cast<double>(agent::boot_ms() - start) / 1000}, {"pid", getpid()}}, "", ""};
}

}  // namespace vt::checks
