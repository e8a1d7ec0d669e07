#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <thread>

#include "orchestrator/host/tcp.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

/// RFC 4253 section 4.2 lets a server send lines of text before its identification.
constexpr std::size_t kMostBefore = 8192;

std::string first_line(std::string_view seen) { return printable(trim(seen.substr(0, std::min<std::size_t>(seen.find('\n'), 80)))); }

bool has_greeting(std::string_view seen) {
  auto at = seen.starts_with("SSH-") ? 0 : seen.find("\nSSH-");
  return at != std::string_view::npos && seen.find('\n', at + 1) != std::string_view::npos;
}

bool is_text(std::string_view seen) {
  auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 && std::isspace(static_cast<unsigned char>(c)) == 0; };
  return std::none_of(seen.begin(), seen.end(), control);
}

Error not_ssh(std::string_view seen) {
  return {Errc::refused, "banner: not an SSH server, it said '" + first_line(seen) + "'; wrong port?"};
}

Error too_late(std::string_view seen) {
  if (!seen.empty() && !seen.starts_with("SSH-")) return not_ssh(seen);
  return {Errc::timeout, "banner: the server accepted the connection but sent no SSH greeting in time; not SSH, frozen or overloaded"};
}

Error closed(std::string_view seen, int error) {
  std::string why = error ? std::strerror(error) : seen.empty() ? "closed" : "it said '" + first_line(seen) + "'";
  return {Errc::transport, "banner: the server ended the connection before its SSH greeting (" + why + "); too many connections at once?"};
}

bool peer_closed(int socket) {
  pollfd p{socket, POLLRDHUP, 0};
  return ::poll(&p, 1, 0) > 0;
}

/// Peeked bytes stay on the socket and poll() reports them again at once: once there are some, look every 5 ms.
void wait_for_more(int socket, bool nothing_yet, Deadline deadline) {
  if (!nothing_yet) return std::this_thread::sleep_for(std::min(deadline.left(), Duration{5}));
  pollfd p{socket, POLLIN, 0};
  ::poll(&p, 1, static_cast<int>(deadline.left().count()));
}

}  // namespace

Status expect_ssh_banner(int socket, Deadline deadline) {
  std::string buffer(kMostBefore, '\0');
  while (true) {
    auto n = ::recv(socket, buffer.data(), buffer.size(), MSG_PEEK | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return fail(closed({}, errno));
    std::string_view seen(buffer.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    if (has_greeting(seen)) return {};
    if (peer_closed(socket)) return fail(closed(seen, 0));
    if (!is_text(seen) || seen.size() == kMostBefore) return fail(not_ssh(seen));
    if (deadline.passed()) return fail(too_late(seen));
    wait_for_more(socket, seen.empty(), deadline);
  }
}

}  // namespace vt
