#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "providers/emulator/hosts/host.hpp"
#include "providers/emulator/hosts/network.hpp"

namespace vt::emulator {

/// A host that is ready to be started: its files are there, its network too.
struct Prepared {
  HostOrder order;
  std::string mark;  ///< of new_mark()
  Network network;
  int ssh_port = 22;                 ///< where its SSH server listens on 127.0.0.1 in that network
  bool metadata = false;             ///< 169.254.169.254:80 in that network leads to the emulator
  std::vector<std::string> command;  ///< its first process
  std::string after;                 ///< shell commands for when everything of it has ended
};

/// A new word that names one start of one host among the arguments of processes; noted in the host's folder for clear().
Result<std::string> new_mark(const std::string& folder);

/// Starts it: its processes under a supervisor, its ports behind a relay.
Result<std::unique_ptr<EmulatedHost>> start_host(Prepared);

/// HostMaker::clear for every kind of host.
Status clear_hosts(const std::string& folder);

/// A shell script, `folder`/`name`, that runs a command in an environment and ends with its status.
Status write_start_script(const std::string& path, const std::vector<std::string>& command,
                          const std::map<std::string, std::string>& environment);

}  // namespace vt::emulator
