#pragma once
#include <string>

namespace vt::agent {

/// The linker's hash over this executable, in hexadecimal: which build it is, whatever its version says.
std::string build_id();

}  // namespace vt::agent
