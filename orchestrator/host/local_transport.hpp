#pragma once
#include <map>
#include <string>

#include "orchestrator/host/transport.hpp"

namespace vt {

/// Commands on this machine through /bin/sh, each in a process group of its own that ends with its stream, with pipes
/// for its standard streams and an environment of PATH, HOME, USER, LANG, LC_* and XDG_* only.
std::unique_ptr<Transport> make_local_transport();

}  // namespace vt
