#pragma once
#include <sys/socket.h>

#include <string>

#include "providers/http/http.hpp"

namespace vt {

/// Empty if our rules allow a request to this address, else why not. Internet: https; plain http to nobody but the metadata
/// server of Compute Engine, and never with a bearer. Loopback: an address of this machine, said as such, and nothing else.
std::string refused_address(HttpRules::Reach, const std::string& url, bool with_bearer);

/// Whether a socket address is this machine's loopback.
bool is_loopback(const sockaddr&);

}  // namespace vt
