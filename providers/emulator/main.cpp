#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "providers/emulator/emulator.hpp"
#include "providers/emulator/faults.hpp"

namespace {

using vt::emulator::Emulator;
using vt::emulator::HostKind;

constexpr const char* kRecipe = R"(
gcloud against it (no account needed):
  export CLOUDSDK_CONFIG=$(mktemp -d)
  export CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE=http://127.0.0.1:PORT/compute/v1/
  export CLOUDSDK_AUTH_ACCESS_TOKEN=any CLOUDSDK_CORE_PROJECT=rehearsal CLOUDSDK_CORE_DISABLE_PROMPTS=1
  export CLOUDSDK_CORE_DISABLE_USAGE_REPORTING=1 CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK=1
  gcloud compute instances list

What ever existed, and what was asked: http://127.0.0.1:PORT/emulator/books and /emulator/requests

A fault plan: {"seed":7,"faults":[{"api":"gcp","call":"create","nth":1,"kind":"lost-after"}]}; "probability" instead of nth; calls are
create, get, list, delete, operation, token, change, any. Kinds:
)";

std::string footer() {
  std::string text = kRecipe;
  for (auto& row : vt::emulator::fault_infos()) {
    std::string name = row.name;
    name.resize(13, ' ');
    text += "  " + name + row.text + "\n";
  }
  return text;
}

struct Command {
  vt::emulator::Options options;
  bool strict = false, until_eof = false;
};

/// SIGINT and SIGTERM are read here and nowhere else: blocked before any thread starts.
int watch_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC);
}

void wait_for_end(int signals, bool until_eof) {
  pollfd fds[] = {{signals, POLLIN, 0}, {until_eof ? STDIN_FILENO : -1, POLLIN, 0}};
  while (poll(fds, 2, -1) >= 0) {
    if (fds[0].revents != 0) return;
    char ignored[256];
    if (fds[1].revents != 0 && read(STDIN_FILENO, ignored, sizeof ignored) <= 0) return;
  }
}

/// "random" and "" stay; anything else is a file.
bool read_plan(std::string& faults) {
  if (faults.empty() || faults == "random") return true;
  std::ifstream in(faults);
  std::ostringstream text;
  text << in.rdbuf();
  faults = text.str();
  return in.good() || in.eof();
}

int serve(Command command, int signals) {
  if (!read_plan(command.options.faults)) return std::cerr << "cannot read the fault plan\n", 2;
  command.options.any_token = !command.strict;
  auto emulator = Emulator::start(command.options);
  if (!emulator) return std::cerr << emulator.error().what << "\n", 3;
  auto running = std::move(emulator).take();
  std::cout << running->address() << "\nhosts: " << running->hosts_text() << "\nfaults: " << running->faults_text() << std::endl;
  wait_for_end(signals, command.until_eof);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Command command;
  command.options.folder = (std::filesystem::temp_directory_path() / ("vault-emulator-" + std::to_string(getuid()))).string();
  CLI::App app("Emulates the APIs of Compute Engine and RunPod on a loopback port, with real hosts behind them");
  app.footer(footer());
  app.add_option("--folder", command.options.folder, "Where its books and hosts' files are kept")->capture_default_str();
  app.add_option("--port", command.options.port, "On 127.0.0.1; 0: a free one")->check(CLI::Range(0, 65535));
  app.add_option("--pace", command.options.pace, "Every delay is multiplied by it; the billing meter runs as much faster")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", command.options.seed, "Of the fault plan and of ids");
  app.add_option("--faults", command.options.faults, "\"random\", or the file of a fault plan (below)");
  std::map<std::string, HostKind> kinds{
      {"auto", HostKind::automatic}, {"process", HostKind::process}, {"none", HostKind::none}, {"vm", HostKind::vm}};
  app.add_option("--hosts", command.options.hosts, "What stands behind instances and pods: auto, process, none or vm")
      ->transform(CLI::CheckedTransformer(kinds));
  app.add_flag("--strict-tokens", command.strict, "Take only tokens that it gave itself");
  app.add_flag("--until-eof", command.until_eof, "Also end when standard input closes");
  CLI11_PARSE(app, argc, argv);
  int signals = watch_signals();
  return serve(std::move(command), signals);
}
