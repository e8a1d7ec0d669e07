#pragma once
#include "orchestrator/engine/stop.hpp"

namespace vt {

/// SIGINT, SIGTERM, SIGHUP raise this flag from now on: the run ends, hosts are given back. A closed terminal (SIGHUP) too.
StopFlag& stop_on_signals();

}  // namespace vt
