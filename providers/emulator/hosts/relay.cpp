#include "providers/emulator/hosts/relay.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace vt::emulator {

namespace {

constexpr std::size_t kBuffer = 64 * 1024;
constexpr int kTickMs = 1000;

/// Closing it then sends a reset, as a port does behind which nobody listens.
void reset_on_close(const Fd& socket) {
  linger hard{1, 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Relay::Relay(std::vector<Route> routes, std::function<void()> tick)
    : routes_(std::move(routes)), tick_(std::move(tick)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { serve(); }) {}

Relay::~Relay() {
  stop_ = true;
  eventfd_write(wake_.get(), 1);
  thread_.join();
}

void Relay::replace_listener(std::size_t route, Fd listener) {
  {
    std::lock_guard lock(mutex_);
    routes_[route].listener = std::move(listener);
  }
  eventfd_write(wake_.get(), 1);
}

void Relay::accept_on(const Route& route) {
  Fd near(accept4(route.listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!near) return;
  auto far = route.far->connect(route.address, route.port);
  if (!far) return reset_on_close(near);
  links_.push_back({std::move(near), std::move(far).take(), {}, {}, false});
}

short Relay::wants(const Half& reading, const Half& writing) {
  return static_cast<short>((!reading.ended && reading.waiting.size() < kBuffer ? POLLIN : 0) | (!writing.waiting.empty() ? POLLOUT : 0));
}

void Relay::move(const Fd& from, const Fd& to, short from_events, Half& half, bool& broken) {
  std::array<char, kBuffer> buffer;
  if ((from_events & (POLLIN | POLLHUP)) && !half.ended && half.waiting.size() < kBuffer) {
    auto n = recv(from.get(), buffer.data(), buffer.size(), 0);
    if (n > 0) half.waiting.append(buffer.data(), static_cast<std::size_t>(n));
    half.ended = n == 0;
    broken = broken || (n < 0 && !would_block());
  }
  if (!half.waiting.empty()) {
    auto n = send(to.get(), half.waiting.data(), half.waiting.size(), MSG_NOSIGNAL);
    if (n > 0) half.waiting.erase(0, static_cast<std::size_t>(n));
    broken = broken || (n < 0 && !would_block() && errno != ENOTCONN);
  }
  if (half.ended && half.waiting.empty() && !half.told_end) half.told_end = shutdown(to.get(), SHUT_WR) == 0 || errno != ENOTCONN;
}

std::vector<pollfd> Relay::watched() {
  std::vector<pollfd> fds{{wake_.get(), POLLIN, 0}};
  {
    std::lock_guard lock(mutex_);
    for (auto& route : routes_) fds.push_back({route.listener.get(), POLLIN, 0});
  }
  for (auto& link : links_) {
    fds.push_back({link.near.get(), wants(link.inward, link.outward), 0});
    fds.push_back({link.far.get(), wants(link.outward, link.inward), 0});
  }
  return fds;
}

void Relay::move_links(const pollfd* seen) {
  for (auto link = links_.begin(); link != links_.end(); seen += 2) {
    short near = seen[0].revents, far = seen[1].revents;
    link->broken = (near & POLLERR) || (far & POLLERR);
    move(link->near, link->far, near, link->inward, link->broken);
    move(link->far, link->near, far, link->outward, link->broken);
    if (link->broken) reset_on_close(link->near), reset_on_close(link->far);
    bool over = link->broken || (link->inward.told_end && link->outward.told_end);
    link = over ? links_.erase(link) : std::next(link);
  }
}

void Relay::accept_all(const pollfd* seen) {
  std::lock_guard lock(mutex_);
  for (auto& route : routes_)
    if ((seen++)->revents & POLLIN) accept_on(route);
}

void Relay::serve() {
  while (!stop_) {
    auto fds = watched();
    poll(fds.data(), fds.size(), kTickMs);
    eventfd_t ignored = 0;
    eventfd_read(wake_.get(), &ignored);
    move_links(fds.data() + 1 + routes_.size());
    accept_all(fds.data() + 1);
    tick_();
  }
}

}  // namespace vt::emulator
