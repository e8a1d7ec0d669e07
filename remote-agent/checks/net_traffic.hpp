#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "orchestrator/model/result.hpp"

/// What two agents say to each other over one TCP connection.
namespace vt::checks {

/// What a connection is for. Its first bytes say so, and that it comes from the right host: addresses such as that of a container bridge
/// exist on every host, and so does a stranger's curiosity.
struct Greeting {
  std::array<char, 32> token{};
  std::uint32_t role = 0;  ///< Role
  std::uint32_t fault = 0;
  double seconds = 0;
};
enum Role : std::uint32_t { kPing = 1, kToServer = 2, kToClient = 3 };

struct Received {
  std::uint64_t bytes = 0, wrong = 0;  ///< wrong: words that are not what was sent
};

/// Sends numbered blocks of known words for so long, then tells the receiver that it was all and returns what that has counted.
/// `fault` has one bit flipped on the way.
Result<Received> send_blocks(int socket, double seconds, bool fault);
/// Receives and compares until the sender is done, and tells it.
Result<Received> receive_blocks(int socket);

/// Sends eight bytes to and fro; the median in µs.
Result<double> ping(int socket, int times);
/// Gives back what comes until the other end is closed.
void answer_pings(int socket);

}  // namespace vt::checks
