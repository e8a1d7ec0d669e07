#pragma once
#include "orchestrator/engine/context.hpp"
#include "orchestrator/model/check.hpp"
#include "orchestrator/model/observation.hpp"

namespace vt {

/// Fetches what explains a failed check while the host still exists: the kernel log, the journal around the time of the
/// check, and the logs the check names. Stored as artefacts, secrets masked. What cannot be read is left out.
Status fetch_logs(Context&, AgentSession&, const Masker&, const Check&, const Observation&);

}  // namespace vt
