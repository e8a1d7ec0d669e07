#pragma once
#include <string>

#include "orchestrator/report/run_view.hpp"

namespace vt {

/// 0 all passed; 1 a check failed; 3 infrastructure, or nothing was proven; 4 budget; 5 something may still cost money or
/// be left behind; 130 interrupted. (2, plan or usage, never has a run.) Precedence: 5, 130, 4, 3, 1, 0.
struct Outcome {
  int exit_code = 3;
  std::string sentence;  ///< the last line of a report
  std::string next;      ///< what to type next; may be empty
  std::string cost;      ///< "cost $0.42 of cap $9.00"; empty if nothing was created for the run
};

/// The one place that decides how a run ended, from its verdicts, layer states and what is left open. Zero only if every
/// layer is done, nothing counts against it and at least one check proved something.
Outcome outcome_of(const RunView&);

/// What one judgement amounts to; 0 if it does not count against the run.
int exit_code_of(const Judgement&);

}  // namespace vt
