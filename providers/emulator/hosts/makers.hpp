#pragma once
#include <memory>
#include <string>

#include "providers/emulator/hosts/host.hpp"

namespace vt::emulator {

/// Hosts as containers; null, and why in `why_not`, where they do not work. A machine's command is run like a pod's, and its
/// metadata server is at 169.254.169.254.
std::unique_ptr<HostMaker> make_containers(std::string& why_not);
/// Hosts as plain processes: works everywhere. The command finds its own SSH port in VT_SSH_PORT.
std::unique_ptr<HostMaker> make_processes();

}  // namespace vt::emulator
