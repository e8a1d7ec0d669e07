#pragma once
#include <sys/socket.h>

#include <string>
#include <vector>

#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/result.hpp"

namespace vt {

/// A TCP address to connect to.
struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;
  [[nodiscard]] std::string text() const;  ///< "192.0.2.1:22", "[2001:db8::1]:22"
};

/// The addresses of a name, in the system's order of preference. Returns at the deadline even if the system's resolver
/// does not. Errors begin with "name: ".
Result<std::vector<SocketAddress>> resolve(const std::string& name, int port, Deadline);

}  // namespace vt
