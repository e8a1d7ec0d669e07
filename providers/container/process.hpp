#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/result.hpp"

namespace vt {

/// Absolute path of a program in PATH or a system folder; empty if there is none.
std::string find_program(const std::string& name);

struct Finished {
  int exit_code = 0;   ///< 128 + signal if a signal ended it
  std::string output;  ///< both streams, at most the first 64 KiB
};
/// Runs a program to its end, without this process's environment. Killed, and Errc::timeout, when the deadline passes.
Result<Finished> run_program(const std::vector<std::string>& argv, Deadline);

/// Starts a program that lives on without this process: own session, not a child, no inherited files but /dev/null and the
/// log, none of this process's environment.
Status launch_detached(const std::vector<std::string>& argv, const std::string& log);

/// Every process of a pod, outside and inside its namespaces, has this among its arguments: it is found and recognised
/// by it even where nothing was written down.
std::string pod_mark(const std::string& pod);

struct ProcessScan {
  struct Marked {
    int pid;
    std::string pod;
  };
  std::vector<Marked> marked;
  bool complete = true;  ///< false: an entry of our own user could not be read
};
ProcessScan scan_processes();

/// Kills every process of the pod and waits until none is left. Success if there was none.
Status kill_pod_processes(const std::string& pod, Deadline);

}  // namespace vt
