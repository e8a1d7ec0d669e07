#pragma once
#include "remote-agent/checks/check.hpp"

namespace vt::checks {

/// Waits until every rank of the group has come to this place. Errc::timeout: one has not, in the task's time.
Status meet(const Task&, Reporter&, const std::string& place);

}  // namespace vt::checks
