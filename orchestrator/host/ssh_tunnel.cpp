#include "orchestrator/host/ssh_tunnel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>

#include "orchestrator/host/ssh_connection.hpp"
#include "orchestrator/host/ssh_handles.hpp"
#include "orchestrator/host/ssh_options.hpp"
#include "orchestrator/model/failpoint.hpp"

namespace vt {

namespace {

constexpr std::size_t kPiece = 32 * 1024;

Error through(const HostSpec& jump, Error error) {
  error.what += " (jump host " + endpoint_text(jump) + ")";
  return error;
}

}  // namespace

Result<HostSpec> jump_access(const HostSpec& host) {
  HostSpec jump = host;
  jump.jump.clear(), jump.jump_key.clear();
  jump.host_key = host.jump_key, jump.port = 22, jump.address = host.jump;
  if (auto at = jump.address.find('@'); at != std::string::npos) {
    jump.user = jump.address.substr(0, at);
    jump.address.erase(0, at + 1);
  }
  auto colon = jump.address.rfind(':');
  if (colon == std::string::npos || jump.address.find(':') != colon) return jump;  // no port, or a bare IPv6 address
  auto end = jump.address.data() + jump.address.size();
  auto [stop, error] = std::from_chars(jump.address.data() + colon + 1, end, jump.port);
  if (error != std::errc{} || stop != end) return fail(Errc::config, "name: jump host '" + host.jump + "' is not user@host:port");
  jump.address.resize(colon);
  return jump;
}

Result<std::unique_ptr<SshTunnel>> SshTunnel::open(const HostSpec& host, Deadline deadline) {
  VT_TRY(auto jump, jump_access(host));
  auto via = SshConnection::open(jump, deadline);
  if (!via) return fail(through(jump, via.error()));
  std::unique_ptr<SshTunnel> tunnel(new SshTunnel);
  tunnel->via_ = std::move(via).take();
  VT_FAILPOINT("ssh.open");
  tunnel->channel_ = ssh_channel_new(tunnel->via_->session());
  auto step = [&] { return ssh_channel_open_forward(tunnel->channel_, host.address.c_str(), host.port, "127.0.0.1", 0); };
  auto rc = tunnel->via_->drive("TCP: reaching " + host.address, step, deadline);
  if (!rc) return fail(through(jump, rc.error()));
  if (*rc != SSH_OK)
    return fail(Errc::transport, "TCP: the jump host " + endpoint_text(jump) + " cannot reach " + host.address + ":" +
                                     std::to_string(host.port) + ": " + tunnel->via_->last_error());
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) return fail(Errc::internal, "TCP: no socket pair");
  tunnel->near_.reset(ends[0]), tunnel->far_.reset(ends[1]);
  tunnel->thread_ = std::thread([t = tunnel.get()] { t->pump(); });
  return tunnel;
}

SshTunnel::~SshTunnel() {
  stop_ = true;
  if (far_) ::shutdown(far_.get(), SHUT_RDWR);  // wakes the thread
  if (thread_.joinable()) thread_.join();
  if (!channel_) return;
  std::lock_guard lock(via_->mutex());
  ssh_channel_close(channel_);
  ssh_channel_free(channel_);
}

/// false: this direction is at its end.
bool SshTunnel::to_host(std::string& pending) {
  if (pending.empty()) {
    pending.resize(kPiece);
    auto n = ::recv(far_.get(), pending.data(), pending.size(), MSG_DONTWAIT);
    pending.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return false;
  }
  std::lock_guard lock(via_->mutex());
  int n = pending.empty() ? 0 : ssh_channel_write(channel_, pending.data(), static_cast<std::uint32_t>(pending.size()));
  if (n < 0) return false;
  pending.erase(0, static_cast<std::size_t>(n));
  moved_ = moved_ || n > 0;
  return true;
}

bool SshTunnel::from_host(std::string& pending) {
  if (pending.empty()) {
    std::lock_guard lock(via_->mutex());
    pending.resize(kPiece);
    int n = ssh_channel_read_nonblocking(channel_, pending.data(), kPiece, 0);
    pending.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    if (n <= 0 && (ssh_channel_is_eof(channel_) || !ssh_is_connected(via_->session()))) return false;
  }
  if (pending.empty()) return true;
  auto n = ::send(far_.get(), pending.data(), pending.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  pending.erase(0, static_cast<std::size_t>(n));
  moved_ = true;
  return true;
}

/// Ends when either side does: an SSH connection is of no use with one direction.
void SshTunnel::pump() {
  std::string up, down;
  while (!stop_ && to_host(up) && from_host(down)) {
    pollfd p[2] = {{far_.get(), static_cast<short>((up.empty() ? POLLIN : 0) | (down.empty() ? 0 : POLLOUT)), 0},
                   {via_->socket(), static_cast<short>(down.empty() ? POLLIN : 0), 0}};
    {
      std::lock_guard lock(via_->mutex());
      if (ssh_get_poll_flags(via_->session()) & SSH_WRITE_PENDING) p[1].events |= POLLOUT;
    }
    ::poll(p, 2, moved_ ? 0 : 50);
    moved_ = false;
  }
  ::shutdown(far_.get(), SHUT_RDWR);
}

}  // namespace vt
