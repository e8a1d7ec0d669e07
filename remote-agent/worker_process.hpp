#pragma once
#include <sys/types.h>

#include <string>

#include "orchestrator/model/result.hpp"
#include "remote-agent/base/os.hpp"
#include "remote-agent/protocol/frames.hpp"

namespace vt::agent {

/// What runs a job: its own process group, a clean environment, no terminal.
struct WorkerProcess {
  pid_t pid = 0;
  Fd out, err;  ///< not blocking; `out` invalid for built-in checks, which speak frames there
  Fd frames;    ///< not blocking; built-in checks only
  Fd input;     ///< not blocking; built-in checks only: a line with the task, then what is delivered to it
};

/// PATH of every job, and of the probes that look for programs.
std::string program_path();
/// Starts the job's program. The error says why it could not be executed: "no such program: X".
Result<WorkerProcess> start_worker(const protocol::Job&);

}  // namespace vt::agent
