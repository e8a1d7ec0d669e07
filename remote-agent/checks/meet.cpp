#include "remote-agent/checks/meet.hpp"

namespace vt::checks {

Status meet(const Task& task, Reporter& report, const std::string& place) {
  auto key = [&](int rank) { return place + "/" + std::to_string(rank); };
  report.publish(key(task.rank), "AA==");
  for (int rank = 0; rank < task.world; ++rank)
    if (rank != task.rank && !report.await(key(rank)))
      return fail(Errc::timeout, "rank " + std::to_string(rank) + " did not come to " + place);
  return {};
}

}  // namespace vt::checks
