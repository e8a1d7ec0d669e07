#include "remote-agent/checks/net_traffic.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "kernels/pattern.hpp"
#include "remote-agent/checks/net_wire.hpp"

namespace vt::checks {

namespace {

constexpr std::size_t kWords = 32 * 1024, kBytes = kWords * sizeof(std::uint64_t);
using Clock = std::chrono::steady_clock;
using Block = std::vector<std::uint64_t>;

/// Every block is the same but for its first word, which is its number: lost, doubled and swapped ones show too.
Block block() {
  Block out(kWords);
  for (std::size_t i = 1; i < kWords; i++) out[i] = kernels::word_at(1, i);
  return out;
}

std::uint64_t differing(const Block& got, const Block& expected) {
  if (std::memcmp(got.data(), expected.data(), kBytes) == 0) return 0;
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < kWords; i++) wrong += got[i] != expected[i];
  return wrong;
}

Error cut() { return {Errc::transport, "the connection was cut, or stood still"}; }

/// False at the end of the stream, which must be between two blocks.
bool next_block(int socket, Block& into, bool& broken) {
  auto* at = reinterpret_cast<char*>(into.data());
  for (std::size_t done = 0; done < kBytes;) {
    auto n = recv(socket, at + done, kBytes - done, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return broken = n < 0 || done > 0, false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

Result<Received> send_blocks(int socket, double seconds, bool fault) {
  auto data = block();
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (std::uint64_t number = 0; number == 0 || Clock::now() < end; number++) {
    data[0] = number;
    if (number == 0 && fault) data[kWords / 2] ^= 1;
    if (!send_whole(socket, data.data(), kBytes)) return fail(cut());
    if (number == 0 && fault) data[kWords / 2] ^= 1;
  }
  shutdown(socket, SHUT_WR);
  Received told;
  if (!receive_whole(socket, &told, sizeof told)) return fail(cut());
  return told;
}

Result<Received> receive_blocks(int socket) {
  auto expected = block();
  Block got(kWords);
  Received out;
  for (bool broken = false; next_block(socket, got, broken) || broken; out.bytes += kBytes) {
    if (broken) return fail(cut());
    out.wrong += differing(got, expected);
    expected[0]++;
  }
  if (!send_whole(socket, &out, sizeof out)) return fail(cut());
  return out;
}

Result<double> ping(int socket, int times) {
  std::vector<double> took;
  for (std::uint64_t n = 0; n < static_cast<std::uint64_t>(times); n++) {
    auto start = Clock::now();
    std::uint64_t back = 0;
    if (!send_whole(socket, &n, sizeof n) || !receive_whole(socket, &back, sizeof back) || back != n) return fail(cut());
    took.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  auto middle = took.begin() + static_cast<std::ptrdiff_t>(took.size() / 2);
  std::nth_element(took.begin(), middle, took.end());
  return *middle;
}

void answer_pings(int socket) {
  for (std::uint64_t n = 0; receive_whole(socket, &n, sizeof n);)
    if (!send_whole(socket, &n, sizeof n)) return;
}

}  // namespace vt::checks
