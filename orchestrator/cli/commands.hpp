#pragma once
#include "orchestrator/cli/command_line.hpp"

namespace vt {

/// Each command: its options in, the exit code out. Output goes to standard output, complaints to standard error.
int run_command(const CommandLine&);
int plan_command(const CommandLine&);
int check_command(const CommandLine&);
int resume_command(const CommandLine&);
int runs_command(const CommandLine&);
int status_command(const CommandLine&);
int report_command(const CommandLine&);
int why_command(const CommandLine&);
int logs_command(const CommandLine&);
int resources_command(const CommandLine&);
int reap_command(const CommandLine&);
int release_command(const CommandLine&);
int shell_command(const CommandLine&);
int cost_command(const CommandLine&);
int checks_command(const CommandLine&);
int baseline_command(const CommandLine&);
int completion_command(const CommandLine&);

/// Parses the command line, says what is still open, runs the command. What main() calls.
int run_cli(int argc, char** argv);

}  // namespace vt
