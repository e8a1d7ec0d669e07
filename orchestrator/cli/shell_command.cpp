#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "orchestrator/cli/commands.hpp"
#include "orchestrator/cli/workplace.hpp"
#include "orchestrator/engine/lifecycle.hpp"
#include "orchestrator/host/transport.hpp"
#include "orchestrator/model/text.hpp"
#include "providers/ssh_keys.hpp"

namespace vt {

namespace {

constexpr Duration kScanTime = std::chrono::seconds(15);

/// OpenSSH pins keys, we have a fingerprint: of the keys the host shows, the one with that fingerprint is pinned. ssh itself then
/// checks that the host owns it.
Result<std::string> pinned_line(const HostSpec& host) {
  auto deadline = Deadline::after(kScanTime);
  VT_TRY(auto here, connect(Host{}, deadline));
  VT_TRY(ExecResult scan, exec(*here, "ssh-keyscan -T 5 -p " + std::to_string(host.port) + " " + shell_quote(host.address), "", deadline));
  std::istringstream lines(scan.out);
  for (std::string name, type, blob, line; std::getline(lines, line);) {
    std::istringstream words(line);
    if (words >> name >> type >> blob && key_fingerprint(blob) == host.host_key) return line + "\n";
  }
  return fail(Errc::host_key, host.address + " does not show the host key " + host.host_key);
}

Result<Host> wanted_host(const CommandLine& line) {
  SystemClock clock;
  VT_TRY(auto store, existing_store(line, clock));
  VT_TRY(auto run, store->run(line.run));
  if (!run) return fail(Errc::usage, "no run '" + line.run + "'; see `vault-test runs`");
  CommandLine there = line;
  if (run->origin == EvidenceOrigin::rehearsal) there.rehearse = "auto";
  VT_TRY(auto ledger, existing_ledger(there, clock));
  VT_TRY(auto rows, ledger->of_run(run->id));
  auto slash = line.layer.find('/');
  for (auto& row : rows) {
    if (row.layer != line.layer.substr(0, slash) || row.state != ResourceState::ready) continue;
    VT_TRY(auto hosts, hosts_of(row));
    for (auto& host : hosts)
      if (slash == std::string::npos || host.name == line.layer.substr(slash + 1)) return host;
  }
  return fail(Errc::usage, "run " + run->id + " has no host of layer '" + line.layer + "' now; --keep or --keep-on-failure keeps one");
}

/// No key or secret of ours goes along: ssh and what it starts can read their environment.
std::vector<std::string> plain_environment() {
  std::vector<std::string> out;
  for (auto& [name, value] : process_environment())
    if (name == "PATH" || name == "HOME" || name == "TERM" || name == "LANG" || name == "USER" || name == "SHELL" || name == "COLORTERM" ||
        name.starts_with("LC_"))
      out.push_back(name + "=" + value);
  return out;
}

std::vector<std::string> ssh_command(const HostSpec& host, const std::string& known_hosts) {
  std::vector<std::string> argv{"ssh",
                                "-F",
                                "/dev/null",
                                "-p",
                                std::to_string(host.port),
                                "-o",
                                "UserKnownHostsFile=" + known_hosts,
                                "-o",
                                "GlobalKnownHostsFile=/dev/null",
                                "-o",
                                "StrictHostKeyChecking=yes",
                                "-o",
                                "IdentitiesOnly=yes"};
  if (!host.identity.empty()) argv.insert(argv.end(), {"-i", host.identity});
  argv.push_back(host.user.empty() ? host.address : host.user + "@" + host.address);
  return argv;
}

Status become_shell(const CommandLine& line) {
  VT_TRY(Host host, wanted_host(line));
  if (host.access.address.empty()) return fail(Errc::usage, host.name + " is this machine");
  std::string known_hosts = host.access.known_hosts;
  if (!host.access.host_key.empty()) {
    VT_TRY(std::string pinned, pinned_line(host.access));
    known_hosts = line.state_dir + "/known_hosts." + std::to_string(getpid());
    std::ofstream(known_hosts, std::ios::trunc) << pinned;
  }
  auto argv = ssh_command(host.access, known_hosts);
  std::vector<char*> pointers;
  for (auto& word : argv) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::fprintf(stderr, "%s: the host goes back when its lease ends or its run is over\n", printable(host.name).c_str());
  auto environment = plain_environment();
  std::vector<char*> variables;
  for (auto& pair : environment) variables.push_back(pair.data());
  variables.push_back(nullptr);
  execvpe("ssh", pointers.data(), variables.data());
  return fail(Errc::usage, "ssh was not found; install openssh-client");
}

}  // namespace

int shell_command(const CommandLine& line) { return refuse(become_shell(line).error()); }

}  // namespace vt
