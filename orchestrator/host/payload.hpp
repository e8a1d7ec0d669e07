#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "orchestrator/host/transport.hpp"

namespace vt {

/// Libraries of the user's for the agent: the regular files of a folder and of its lib/, by name.
struct Payload {
  struct File {
    std::string name, path, sha256;
    std::uint64_t bytes = 0;
  };
  std::vector<File> files;
};

/// Errc::config: the folder cannot be read, is empty, or holds two files of one name or a name that is more than letters, digits
/// and "._+-".
Result<Payload> read_payload(const std::string& folder);

/// Puts the files into `agent_folder`/payload, each under its SHA-256, so that none is sent twice, whatever its name; a folder of this
/// very set there names them. Returns that folder; `uploaded` grows by what went over.
Result<std::string> deploy_payload(Transport&, const Payload&, const std::string& agent_folder, std::uint64_t& uploaded, Deadline);

}  // namespace vt
