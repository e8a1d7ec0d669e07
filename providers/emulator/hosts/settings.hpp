#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/result.hpp"

namespace vt::emulator {

/// Settings of this machine that are many files and nobody changes: to be mounted read-only over what make_settings() makes.
std::vector<std::string> shared_settings();

/// Fills `root`/etc with what a fresh system has: this machine's settings of libraries, shells and programs, no password, key or
/// user of its own beyond the system's, and that host name.
Status make_settings(const std::string& root, const std::string& name);

}  // namespace vt::emulator
