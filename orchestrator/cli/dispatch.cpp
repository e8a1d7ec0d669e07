#include <csignal>
#include <cstdio>

#include "orchestrator/cli/commands.hpp"
#include "orchestrator/cli/workplace.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

struct Entry {
  std::string_view name;
  int (*run)(const CommandLine&);
  bool tells_open = true;  ///< begins with a notice while something may cost money or be left behind
};

constexpr Entry kCommands[] = {
    {"run", run_command},
    {"plan", plan_command},
    {"check", check_command},
    {"resume", resume_command},
    {"runs", runs_command},
    {"status", status_command},
    {"report", report_command},
    {"why", why_command},
    {"logs", logs_command},
    {"checks", checks_command},
    {"cost", cost_command},
    {"resources", resources_command, false},
    {"reap", reap_command, false},
    {"release", release_command, false},
    {"shell", shell_command},
    {"completion", completion_command, false},
    {"baseline", baseline_command, false},
};

/// On standard error, so that it never mixes with what a script reads.
void tell_open(const CommandLine& line) {
  SystemClock clock;
  CommandLine real = line;
  real.rehearse.clear();  // what a rehearsal left costs nothing
  auto ledger = existing_ledger(real, clock);
  if (!ledger && ledger.error().code != Errc::not_found)
    std::fprintf(stderr, "notice: the ledger cannot be read, so nobody knows what may be left behind: %s\n",
                 printable(ledger.error().what).c_str());
  if (!ledger) return;
  auto open = (*ledger)->open_resources();
  if (!open || open->empty()) return;
  std::fprintf(stderr, "notice: %zu thing%s may cost money or be left behind: see `vault-test resources`, `vault-test reap`\n",
               open->size(), open->size() == 1 ? "" : "s");
}

}  // namespace

int run_cli(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  auto parsed = parse_command_line(argc, argv);
  if (auto code = std::get_if<int>(&parsed)) return *code;
  auto& line = std::get<CommandLine>(parsed);
  for (auto& entry : kCommands) {
    if (entry.name != line.command) continue;
    if (entry.tells_open) tell_open(line);
    return entry.run(line);
  }
  return 2;
}

}  // namespace vt
