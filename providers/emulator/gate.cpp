#include "providers/emulator/gate.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "orchestrator/host/fd.hpp"

namespace vt::emulator {

using std::chrono::steady_clock;

namespace {

constexpr std::size_t kChunk = 65536;
/// A reply after which everything is shut has passed once nothing more came for that long.
constexpr auto kQuiet = std::chrono::milliseconds(20);

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int local_port(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

void no_delay(int fd) {
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// One direction of a connection: what was read and not written yet.
struct Pipe {
  std::string waiting;
  bool ended = false;  ///< nothing more will be read

  /// False if the connection broke.
  bool read_from(int fd) {
    char bytes[kChunk];
    auto got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    ended = got == 0;
    waiting.append(bytes, static_cast<std::size_t>(got));
    return true;
  }
  bool write_to(int fd, std::size_t most) {
    auto size = std::min(most, waiting.size());
    if (size == 0) return true;
    auto put = send(fd, waiting.data(), size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put < 0) return errno == EAGAIN || errno == EINTR;
    waiting.erase(0, static_cast<std::size_t>(put));
    return true;
  }
};

struct Relay {
  Fd client, server;
  Pipe up, down;
  int peer = 0;  ///< our port towards the server
  int requests = 0;
  std::optional<Cut> cut;
  steady_clock::time_point cut_at, last_byte;
  std::string head;                 ///< of a reply that is to be truncated, until its end was seen
  std::optional<std::size_t> left;  ///< bytes of it that may still pass
  bool replied = false;             ///< part of the reply of `cut` has passed
  bool over = false;

  void reset_client() {
    linger now{1, 0};
    setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    over = true;
  }
  void alert_client() {
    constexpr std::string_view kAlert("\x15\x03\x03\x00\x02\x02\x28", 7);
    send(client.get(), kAlert.data(), kAlert.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    over = true;
  }
  /// How many of the bytes for the client may go now.
  std::size_t allowed() {
    if (!cut) return kChunk;
    if (cut->how == Cut::How::close || cut->how == Cut::How::reset || cut->how == Cut::How::alert) return 0;
    if (cut->how == Cut::How::truncate) return left.value_or(0);
    if (cut->how != Cut::How::drip) return kChunk;
    auto passed = std::chrono::duration<double>(steady_clock::now() - cut_at) / std::chrono::duration<double>(cut->length);
    if (passed >= 1) return cut.reset(), kChunk;
    auto due = static_cast<std::size_t>(static_cast<double>(cut->bytes) * passed);
    return due > sent ? due - sent : 0;
  }
  /// Looks for the end of the head of a reply that is to be truncated.
  void measure() {
    if (!cut || cut->how != Cut::How::truncate || left) return;
    auto end = down.waiting.find("\r\n\r\n");
    if (end != std::string::npos) left = end + 4 + cut->bytes;
  }
  void sent_to_client(std::size_t bytes) {
    if (bytes == 0) return;
    sent += bytes, replied = true, last_byte = steady_clock::now();
    if (left && (*left -= bytes) == 0) over = true;
  }
  std::size_t sent = 0;  ///< of the reply of `cut`
};

}  // namespace

struct Gate::Impl {
  Fd listener, wake;
  int port = 0, target = 0;
  std::mutex mutex;
  std::list<Relay> relays;
  std::optional<steady_clock::time_point> shut_until;
  bool stopped = false;
  std::thread thread;

  void serve();
  void accept_one();
  void pass(Relay&, short client_events, short server_events);
  void apply_cuts();
  void shut(Duration);
  std::vector<pollfd> watched();
  [[nodiscard]] int patience() const;
  Relay* find(int peer) {
    auto found = std::find_if(relays.begin(), relays.end(), [&](const Relay& r) { return r.peer == peer; });
    return found == relays.end() ? nullptr : &*found;
  }
};

std::vector<pollfd> Gate::Impl::watched() {
  std::vector<pollfd> fds{{wake.get(), POLLIN, 0}, {shut_until ? -1 : listener.get(), POLLIN, 0}};
  for (auto& r : relays) {
    r.measure();
    auto want = [](const Pipe& in, bool out) {
      return static_cast<short>((in.ended || in.waiting.size() > kChunk ? 0 : POLLIN) | (out ? POLLOUT : 0));
    };
    fds.push_back({r.client.get(), want(r.up, !r.down.waiting.empty() && r.allowed() > 0), 0});
    fds.push_back({r.server.get(), want(r.down, !r.up.waiting.empty()), 0});
  }
  return fds;
}

/// Milliseconds until something happens by itself; -1: nothing will.
int Gate::Impl::patience() const {
  bool timed = shut_until.has_value();
  for (auto& r : relays) timed = timed || (r.cut && (r.cut->how == Cut::How::drip || r.cut->how == Cut::How::last));
  return timed ? 10 : -1;
}

void Gate::Impl::accept_one() {
  Relay r;
  r.client = Fd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  r.server = Fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (r.client.get() < 0) return;
  auto to = loopback(target);
  if (connect(r.server.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) return;
  no_delay(r.client.get()), no_delay(r.server.get());
  r.peer = local_port(r.server.get());
  relays.push_back(std::move(r));
}

void Gate::Impl::pass(Relay& r, short client_events, short server_events) {
  constexpr short readable = POLLIN | POLLHUP | POLLERR;
  bool fine = true;
  if ((client_events & readable) != 0 && !r.up.ended) fine = r.up.read_from(r.client.get());
  if ((server_events & readable) != 0 && !r.down.ended) fine = r.down.read_from(r.server.get()) && fine;
  fine = r.up.write_to(r.server.get(), kChunk) && fine;
  r.measure();
  auto before = r.down.waiting.size();
  fine = r.down.write_to(r.client.get(), r.allowed()) && fine;
  r.sent_to_client(before - r.down.waiting.size());
  if (r.up.ended && r.up.waiting.empty()) shutdown(r.server.get(), SHUT_WR);
  if (!fine || (r.down.ended && r.down.waiting.empty())) r.over = true;
}

void Gate::Impl::apply_cuts() {
  Duration length{0};
  for (auto& r : relays) {
    if (!r.cut) continue;
    if (r.cut->how == Cut::How::close) r.over = true;
    if (r.cut->how == Cut::How::alert) r.alert_client();
    if (r.cut->how == Cut::How::reset) r.reset_client();
    if (r.cut->how == Cut::How::last && r.replied && steady_clock::now() - r.last_byte > kQuiet) length = r.cut->length;
  }
  if (length > Duration::zero()) shut(length);
  relays.remove_if([](const Relay& r) { return r.over; });
  if (shut_until && *shut_until <= steady_clock::now()) {
    shut_until.reset();
    listen(listener.get(), SOMAXCONN);
  }
}

/// A listening socket that is shut down keeps its port, and refuses.
void Gate::Impl::shut(Duration length) {
  for (auto& r : relays) r.reset_client();
  shutdown(listener.get(), SHUT_RDWR);
  shut_until = steady_clock::now() + length;
}

void Gate::Impl::serve() {
  std::unique_lock lock(mutex);
  while (!stopped) {
    apply_cuts();
    auto fds = watched();
    int patient = patience();
    lock.unlock();
    poll(fds.data(), fds.size(), patient);
    lock.lock();
    if (std::uint64_t count = 0; (fds[0].revents & POLLIN) != 0) [[maybe_unused]]
      auto got = read(wake.get(), &count, sizeof count);
    std::size_t at = 2;
    for (auto& r : relays) pass(r, fds[at].revents, fds[at + 1].revents), at += 2;
    if ((fds[1].revents & POLLIN) != 0) accept_one();
  }
}

namespace {

Fd bound(int port) {
  Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  auto address = loopback(port);
  if (bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) fd.reset();
  return fd;
}

}  // namespace

Gate::Gate(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Gate>> Gate::open(int port, int target) {
  auto impl = std::make_unique<Impl>();
  impl->target = target;
  impl->wake = Fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  // A port that the kernel chose is lost when the socket is shut for a while; one that was asked for is not.
  Fd choice = bound(port);
  impl->listener = bound(local_port(choice.get()));
  if (choice.get() < 0 || impl->listener.get() < 0 || listen(impl->listener.get(), SOMAXCONN) != 0)
    return fail(Errc::usage, "cannot listen on 127.0.0.1:" + std::to_string(port));
  impl->port = local_port(impl->listener.get());
  Impl* raw = impl.get();
  impl->thread = std::thread([raw] { raw->serve(); });
  return std::unique_ptr<Gate>(new Gate(std::move(impl)));
}

Gate::~Gate() {
  {
    std::lock_guard lock(impl_->mutex);
    impl_->stopped = true;
  }
  eventfd_write(impl_->wake.get(), 1);
  impl_->thread.join();
}

int Gate::port() const { return impl_->port; }

void Gate::cut(int peer, Cut cut) {
  {
    std::lock_guard lock(impl_->mutex);
    Relay* r = impl_->find(peer);
    if (r == nullptr) return;
    r->cut = cut, r->cut_at = r->last_byte = steady_clock::now();
    r->sent = 0, r->replied = false, r->left.reset();
  }
  eventfd_write(impl_->wake.get(), 1);
}

int Gate::requests_before(int peer) {
  std::lock_guard lock(impl_->mutex);
  Relay* r = impl_->find(peer);
  return r == nullptr ? 0 : r->requests++;
}

}  // namespace vt::emulator
