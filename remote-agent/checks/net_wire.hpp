#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/result.hpp"
#include "remote-agent/base/os.hpp"

/// TCP between two agents. Every wait ends at a time on the clock of boot_ms.
namespace vt::checks {

struct Listener {
  agent::Fd fd;
  int port = 0;
};
/// On all addresses of this host, at a port that the kernel chooses; IPv6 and IPv4 where it has both.
Result<Listener> listen_anywhere();
/// nullopt: nobody came in time.
std::optional<agent::Fd> accept_one(const Listener&, std::int64_t stop_at);
Result<agent::Fd> connect_to(const std::string& address, int port, std::int64_t stop_at);

/// No single call waits longer than until then.
void limit_waits(int socket, std::int64_t stop_at);
bool send_whole(int socket, const void* data, std::size_t bytes);
bool receive_whole(int socket, void* data, std::size_t bytes);

/// The addresses under which others may reach this host: no loopback and no link-local ones; of `interface` only, if that is not empty.
std::vector<std::string> own_addresses(const std::string& interface);
/// Bytes per packet on the way to the other end, as far as the kernel knows; 0: it does not.
int path_mtu(int socket);
/// What the interface behind this end of the connection runs at, in Mb/s; 0 where it does not tell, as most virtual ones do.
double link_speed(int socket);

}  // namespace vt::checks
