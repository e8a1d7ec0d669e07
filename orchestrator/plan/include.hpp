#pragma once
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/plan/node.hpp"

namespace vt {

/// Reads a plan file and everything it includes into one tree; every node keeps the file it came from.
/// An included file is the base: what the including file says wins. `vars` and `expect` merge by key, `layers` by layer,
/// a layer in both by its keys and its `expect` by key; any other key is replaced as a whole.
/// `files` gets every file read, the plan first.
std::optional<yaml::Node> read_with_includes(const std::string& path, std::vector<std::string>& files, Problems&);

}  // namespace vt
