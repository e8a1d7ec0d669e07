#pragma once
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "orchestrator/model/plan.hpp"
#include "orchestrator/planner/run_plan.hpp"

namespace vt {

/// The command line as a value. Which fields count follows from the command.
struct CommandLine {
  std::string command;
  std::string state_dir;  ///< $VAULT_TEST_STATE, else $XDG_STATE_HOME/vault-test, else ~/.local/state/vault-test
  std::string catalogue;  ///< folder of checks/ and suites/; empty: the shipped one
  bool json = false, quiet = false;
  enum class Colour { automatic, always, never } colour = Colour::automatic;

  std::string plan;  ///< path
  std::map<std::string, std::string> set;
  Selection selection;
  std::string on;  ///< RUN/LAYER of a kept host
  bool keep = false, keep_on_failure = false, online = false;
  std::string rehearse;  ///< empty: the real clouds; else what stands behind the emulated ones: auto, process, vm
  std::string emulator;  ///< rehearsal: address of a running emulator; empty: one of our own
  std::string device;    ///< "cpu": where a GPU is missing, the processor stands in for it
  double pace = 0;       ///< rehearsal: its pace; 0: the default

  std::string run = "last", layer, check;
  std::string target;  ///< USER@HOST, or "local"
  HostSpec host;       ///< the SSH options of `check`
  std::string format = "text", output;
  std::string name;    ///< resource, shell, …
  std::string action;  ///< baseline: show or learn
  int limit = 20;
  bool all = false, dry_run = false, markdown = false, stateless = false, yes = false;
  std::string since = "30d", by = "plan";  ///< cost
  bool reconcile = false;
  std::string key_file, write_key;               ///< reap: the installation's key, for a sweeper elsewhere
  std::vector<std::string> providers, accounts;  ///< reap --stateless: where to look
};

/// Parses; on --help, --version or a usage error prints what is due and gives the exit code instead (0 or 2).
std::variant<CommandLine, int> parse_command_line(int argc, char** argv);

}  // namespace vt
