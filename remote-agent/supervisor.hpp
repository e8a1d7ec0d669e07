#pragma once
#include "remote-agent/base/os.hpp"
#include "remote-agent/protocol/frames.hpp"
#include "remote-agent/sink.hpp"

namespace vt::agent {

/// Who gives orders to a supervisor.
struct Orders {
  int fd = -1;                 ///< lines: cancel, deliver
  bool end_is_cancel = false;  ///< the session's end ends the job (attached); detached jobs go on
};

/// Makes this process the supervisor of one job and runs the job to its end: enforces the deadline, keeps head and tail of
/// the output, passes the worker's frames on, and leaves no process behind. Frames go to `sink`, the last one is the
/// result. Takes the whole process over: descriptors other than those given should be closed, the caller ends afterwards.
void supervise(const protocol::Job&, Sink&, Orders);

}  // namespace vt::agent
