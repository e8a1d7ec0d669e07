#pragma once
#include "orchestrator/model/result.hpp"
#include "remote-agent/journal.hpp"
#include "remote-agent/protocol/frames.hpp"

namespace vt::agent {

/// Starts a supervisor that belongs to nobody: it outlives the session and its connection. Whoever calls this with a job
/// that exists, here or in another session at the same moment, starts nothing. `keep_open` (or -1) stays open in it.
Status start_detached(const StateFolder&, const protocol::Job&, int keep_open);

}  // namespace vt::agent
