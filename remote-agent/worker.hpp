#pragma once
#include <string>

namespace vt::agent {

/// Runs one built-in check in this process: the task comes as a line on standard input, frames go to standard output.
/// Returns the exit status: 0 if the check came to an end, even one with an error.
int work(const std::string& check);

}  // namespace vt::agent
