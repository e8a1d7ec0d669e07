#pragma once
#include <memory>

#include "orchestrator/cli/command_line.hpp"
#include "orchestrator/report/progress.hpp"
#include "orchestrator/store/store.hpp"

namespace vt {

/// Shows a run's stored events while it runs: on a terminal one line per layer, on a pipe one line per event, with --json one
/// JSON line per event on standard output. Progress for people goes to standard error. Must outlive the run.
class ProgressPrinter {
 public:
  ProgressPrinter(const CommandLine&, Store&, bool rehearsal);
  ~ProgressPrinter();
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;
  /// No more painting over the terminal's last lines.
  void finish();

 private:
  Store& store_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace vt
