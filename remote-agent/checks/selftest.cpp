#include "remote-agent/checks/check.hpp"

namespace vt::checks {

/// Gives its arguments back: shows that values come through whole.
Outcome values(const Task& task, Reporter&) { return {task.args, "", ""}; }

/// Every rank publishes args.data and waits for the others': shows that a group can talk.
Outcome group(const Task& task, Reporter& report) {
  report.publish("rank" + std::to_string(task.rank), task.text("data"));
  Outcome out;
  for (int rank = 0; rank < task.world; rank++) {
    if (rank == task.rank) continue;
    auto key = "rank" + std::to_string(rank);
    auto data = report.await(key);
    if (!data) return {{}, "", "nothing came from " + key};
    out.values[key] = *data;
  }
  return out;
}

}  // namespace vt::checks
