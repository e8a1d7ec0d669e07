#include "orchestrator/cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "orchestrator/cli/examples.hpp"
#include "orchestrator/cli/version.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

std::string environment(const char* name) {
  auto value = std::getenv(name);
  return value ? value : "";
}

std::string default_state_dir() {
  if (auto own = environment("VAULT_TEST_STATE"); !own.empty()) return own;
  if (auto xdg = environment("XDG_STATE_HOME"); !xdg.empty()) return xdg + "/vault-test";
  return environment("HOME") + "/.local/state/vault-test";
}

/// The raw words of options that need translating after parsing.
struct Words {
  std::vector<std::string> set;
  std::string level, colour = "auto";
};

CLI::App* add(CLI::App& app, CommandLine& o, const char* name, const char* summary) {
  auto sub = app.add_subcommand(name, summary);
  sub->footer(std::string("Examples:\n") + examples_for(name));
  sub->callback([&o, name] { o.command = name; });
  return sub;
}

void add_plan(CLI::App& sub, CommandLine& o, Words& w) {
  sub.add_option("plan", o.plan, "The plan file (YAML)")->required();
  sub.add_option("--set", w.set, "Replace a variable of the plan: NAME=VALUE (repeatable)")->type_name("NAME=VALUE");
}

void add_selection(CLI::App& sub, CommandLine& o, Words& w) {
  sub.add_option("--layer", o.selection.layers, "Only this layer (repeatable)")->type_name("NAME");
  sub.add_option("--suite", o.selection.suites, "Only this suite (repeatable)")->type_name("NAME");
  sub.add_option("--check", o.selection.checks, "Only checks that match (repeatable)")->type_name("GLOB");
  sub.add_option("--level", w.level, "quick, standard or full; replaces the plan's")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"quick", "standard", "full"}));
}

void add_run_id(CLI::App& sub, CommandLine& o) { sub.add_option("run", o.run, "Run id, a unique beginning of one, or 'last' (default)"); }

void add_keep(CLI::App& sub, CommandLine& o) {
  sub.add_flag("--keep", o.keep, "Do not give created hosts back; they stay until their lease ends");
  sub.add_flag("--keep-on-failure", o.keep_on_failure, "Keep the hosts of a layer on which a check failed or broke");
}

/// --rehearse stands alone or as --rehearse=KIND, so that a following word stays an argument. Without it the other two would silently
/// mean the real clouds.
void add_rehearsal(CLI::App& sub, CommandLine& o) {
  auto rehearse = sub.add_flag("--rehearse{auto}", o.rehearse,
                               "Against emulated clouds on this machine: no account, no cent, no evidence; =process or =vm")
                      ->check(CLI::IsMember({"auto", "process", "vm"}));
  sub.add_option("--emulator", o.emulator, "With --rehearse: a vault-emulator that runs already")
      ->type_name("http://127.0.0.1:PORT")
      ->needs(rehearse);
  sub.add_option("--pace", o.pace, "With --rehearse: how slow against real time; 1 is as slow as the clouds")
      ->check(CLI::Range(0.0001, 1.0))
      ->needs(rehearse);
}

void add_device(CLI::App& sub, CommandLine& o) {
  sub.add_option("--device", o.device, "cpu: on hosts without a GPU the processor stands in where a check can; no evidence for a GPU")
      ->check(CLI::IsMember({"cpu"}));
}

void add_run(CLI::App& app, CommandLine& o, Words& w) {
  auto run = add(app, o, "run", "Run a plan: get the hosts, run the checks, give the hosts back");
  add_plan(*run, o, w);
  add_selection(*run, o, w);
  run->add_option("--on", o.on, "Use the kept host of RUN/LAYER instead of a new one")->type_name("RUN/LAYER");
  add_keep(*run, o);
  add_device(*run, o);
  add_rehearsal(*run, o);
}

void add_check(CLI::App& app, CommandLine& o, Words& w) {
  auto check = add(app, o, "check", "Check one machine without a plan");
  check->add_option("target", o.target, "USER@HOST, or 'local' for this machine")->required();
  add_selection(*check, o, w);
  add_device(*check, o);
  check->add_option("--port", o.host.port, "SSH port")->check(CLI::Range(1, 65535));
  check->add_option("--identity", o.host.identity, "Private key file")->type_name("FILE");
  check->add_option("--host-key", o.host.host_key, "The host key's fingerprint (SHA256:…)")->type_name("FINGERPRINT");
  check->add_option("--known-hosts", o.host.known_hosts, "known_hosts file; default ~/.ssh/known_hosts")->type_name("FILE");
  check->add_option("--jump", o.host.jump, "Jump host USER@HOST:PORT")->type_name("HOST");
  check->add_option("--jump-key", o.host.jump_key, "The jump host key's fingerprint")->type_name("FINGERPRINT");
  check->add_flag("--ssh-agent", o.host.agent, "Use the running ssh-agent");
  check->add_flag("--exclusive", o.host.exclusive, "Nobody else uses the machine: disruptive checks may run");
}

void add_reports(CLI::App& app, CommandLine& o) {
  auto runs = add(app, o, "runs", "List earlier runs");
  runs->add_option("--limit", o.limit, "How many");
  add_run_id(*add(app, o, "status", "The status of a run, layer by layer"), o);
  auto report = add(app, o, "report", "A run as text, JSON, JUnit or Markdown");
  add_run_id(*report, o);
  report->add_option("--format", o.format, "text, json, junit, markdown or ocp")
      ->check(CLI::IsMember({"text", "json", "junit", "markdown", "ocp"}));
  report->add_option("-o,--output", o.output, "Write to this file instead of standard output")->type_name("FILE");
  auto why = add(app, o, "why", "Why a check has its verdict: evidence, rule, measured value, history, what to do");
  why->add_option("check", o.check, "Check id")->required();
  add_run_id(*why, o);
  auto logs = add(app, o, "logs", "The raw output of checks, and the logs kept when they failed");
  add_run_id(*logs, o);
  logs->add_option("layer", o.layer, "Layer")->required();
  logs->add_option("check", o.check, "Check id; all of them if not given");
}

void add_resources(CLI::App& app, CommandLine& o) {
  auto resources = add(app, o, "resources", "What may cost money or be left behind");
  resources->add_flag("--all", o.all, "Also what is gone");
  add_rehearsal(*resources, o);
  auto reap = add(app, o, "reap", "Give back what a dead run left behind");
  reap->add_flag("--dry-run", o.dry_run, "Only say what would be done");
  reap->add_flag("--yes", o.yes, "Delete more than 20 things at once");
  reap->add_flag("--stateless", o.stateless, "Without a ledger: delete what a key proves to be ours and whose lease is over");
  reap->add_option("--key", o.key_file, "With --stateless: the key file that --write-key wrote")->type_name("FILE");
  reap->add_option("--provider", o.providers, "With --stateless: where to look (repeatable); default gcp and runpod")->type_name("NAME");
  reap->add_option("--account", o.accounts, "With --stateless: a GCP project (repeatable)")->type_name("PROJECT");
  reap->add_option("--write-key", o.write_key, "Write this installation's key for a sweeper elsewhere, and end")->type_name("FILE");
  add_rehearsal(*reap, o);
  auto give = add(app, o, "release", "Give a kept host back now");
  give->add_option("name", o.name, "Its name, from `vault-test resources`")->required();
  add_rehearsal(*give, o);
  auto shell = add(app, o, "shell", "Open a shell on a host of a layer: one that is kept, or that a run is using");
  shell->add_option("run", o.run, "Run id, a unique beginning of one, or 'last'")->required();
  shell->add_option("layer", o.layer, "Layer, or LAYER/HOST where it has several hosts")->required();
}

void add_cost(CLI::App& app, CommandLine& o) {
  auto cost = add(app, o, "cost", "What hosts have cost, and what their providers say they billed");
  cost->add_option("--since", o.since, "What was created in this time, 30d if not given")->type_name("DURATION");
  cost->add_option("--by", o.by, "plan, layer, provider or check")->check(CLI::IsMember({"plan", "layer", "provider", "check"}));
  cost->add_flag("--reconcile", o.reconcile, "Hold what was recorded against what the providers billed");
  cost->add_flag("--rehearse{auto}", o.rehearse, "Of rehearsals instead")->check(CLI::IsMember({"auto", "process", "vm"}));
}

void add_baseline(CLI::App& app, CommandLine& o) {
  auto baseline = add(app, o, "baseline", "What measured figures are held against: show it, or learn it from a run of one's own");
  baseline->add_option("action", o.action, "show or learn")->required()->check(CLI::IsMember({"show", "learn"}));
  baseline->add_option("what", o.name, "show: part of a GPU's name, all if not given; learn: run id, a unique beginning of one, or 'last'");
  baseline->add_option("-o,--output", o.output, "learn: write to this file ('-': standard output) instead of the state folder's baselines/")
      ->type_name("FILE");
}

void add_everything(CLI::App& app, CommandLine& o, Words& w) {
  add_run(app, o, w);
  auto plan = add(app, o, "plan", "Show what a plan would do; spends nothing, needs no credentials");
  add_plan(*plan, o, w);
  add_selection(*plan, o, w);
  plan->add_flag("--online", o.online, "Also ask the providers: credentials, quota, stock, prices; creates nothing");
  add_rehearsal(*plan, o);
  add_check(app, o, w);
  auto resume = add(app, o, "resume", "Go on with an interrupted run: only what has no result is repeated");
  add_run_id(*resume, o);
  add_keep(*resume, o);
  add_device(*resume, o);
  add_rehearsal(*resume, o);
  add_reports(app, o);
  add_resources(app, o);
  add_cost(app, o);
  add_baseline(app, o);
  auto checks = add(app, o, "checks", "The catalogue of checks");
  checks->add_option("glob", o.check, "Only checks that match");
  checks->add_flag("--markdown", o.markdown, "As the reference page docs/checks.md");
  add(app, o, "completion", "Print the completion script of a shell")
      ->add_option("shell", o.name, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

void add_common(CLI::App& app, CommandLine& o, Words& w) {
  app.set_version_flag("--version", version_text());
  app.add_option("--state-dir", o.state_dir, "Where results and the ledger are kept")->type_name("DIR");
  app.add_option("--catalogue", o.catalogue, "Folder with checks/ and suites/")->type_name("DIR");
  app.add_flag("--json", o.json, "Machine-readable output");
  app.add_flag("-q,--quiet", o.quiet, "No progress, only the result");
  app.add_option("--color", w.colour, "auto, always or never")->check(CLI::IsMember({"auto", "always", "never"}));
}

std::variant<CommandLine, int> usage(const std::string& what) {
  std::fprintf(stderr, "vault-test: %s\n", what.c_str());
  return 2;
}

std::variant<CommandLine, int> translate(CommandLine o, const Words& w) {
  for (auto& pair : w.set) {
    auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) return usage("--set " + pair + ": expected NAME=VALUE");
    o.set[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  if (!w.level.empty()) o.selection.level = from_name<Level>(w.level);
  o.colour = w.colour == "always"  ? CommandLine::Colour::always
             : w.colour == "never" ? CommandLine::Colour::never
                                   : CommandLine::Colour::automatic;
  if (o.state_dir.empty()) o.state_dir = default_state_dir();
  return o;
}

/// CLI11 only says that a word was not expected; the nearest command or option helps more.
std::string nearest_word(const CLI::App& app) {
  auto used = app.get_subcommands();
  std::vector<std::string> names;
  if (used.empty())
    for (auto sub : app.get_subcommands({})) names.push_back(sub->get_name());
  for (auto part : {&app, used.empty() ? &app : static_cast<const CLI::App*>(used.front())})
    for (auto option : part->get_options())
      for (auto& name : option->get_lnames()) names.push_back("--" + name);
  for (auto& word : app.remaining(true))
    if (auto near = nearest(word, names); !near.empty()) return "; did you mean '" + near + "'?";
  return {};
}

std::variant<CommandLine, int> explain(const CLI::App& app, const CLI::ParseError& e) {
  auto used = app.get_subcommands();
  std::string command = used.empty() ? "" : used.front()->get_name() + " ";
  return usage(std::string(e.what()) + nearest_word(app) + "\nsee: vault-test " + command + "--help");
}

}  // namespace

std::variant<CommandLine, int> parse_command_line(int argc, char** argv) {
  CommandLine o;
  Words w;
  CLI::App app("Tests GPU machines and golden images across clouds, containers and bare metal.", "vault-test");
  app.footer(std::string("Examples:\n") + examples_for(""));
  app.require_subcommand(0, 1);
  app.fallthrough();
  add_common(app, o, w);
  add_everything(app, o, w);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    return explain(app, e);
  }
  if (o.command.empty()) return usage("a command is missing\n\n" + app.help());
  return translate(o, w);
}

}  // namespace vt
