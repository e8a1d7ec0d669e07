#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/check.hpp"
#include "orchestrator/report/run_view.hpp"

namespace vt {

/// Something a reader must see first: a check that failed or warned, or checks that share one reason for not having run.
/// The same thing on several hosts is one surprise.
struct Surprise {
  std::string heading;               ///< "FAIL", "WARN", "ERROR", "BLOCKED", "CANCELLED", "NO VERDICT"
  Verdict verdict = Verdict::error;  ///< error for a missing verdict
  std::vector<std::string> checks;   ///< several only where they share `reason`
  std::vector<std::string> where;    ///< column labels, with the GPUs it is about: "cube (GPU-2)"
  std::string title, reason, why, remedy;
  std::vector<std::string> measured;  ///< "release: measured 6.8.0, required at-least 6.13"
  std::vector<std::string> logs;      ///< names of what was kept of the host's logs
  std::string log_command;            ///< shows the raw output; empty if there is none
};

/// Worst first: fail, error, no verdict, blocked, cancelled, warn; within that in running order. All texts are raw: what
/// prints them makes them safe.
std::vector<Surprise> surprises(const RunView&, const Catalogue&);

/// "name: measured X, required RULE (why)" for each value that missed, or all of them.
std::vector<std::string> measured_lines(const Judgement&, bool all);

}  // namespace vt
