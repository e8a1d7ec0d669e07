#include "orchestrator/host/ssh_stream.hpp"

#include <libssh/callbacks.h>

#include <deque>
#include <optional>

#include "orchestrator/host/signals.hpp"
#include "orchestrator/host/ssh_handles.hpp"
#include "orchestrator/host/watchdog.hpp"
#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

constexpr std::size_t kPiece = 32 * 1024;
constexpr std::size_t kBacklog = 8 * 1024 * 1024;  ///< most output kept while a write waits for the peer to read

/// How the command ended. libssh reports a signal only through a callback.
struct Ending {
  std::optional<int> status;
  static void by_exit(ssh_session, ssh_channel, int status, void* self) { static_cast<Ending*>(self)->status = status; }
  // NOLINTNEXTLINE(readability-function-size): libssh wants all of these
  static void by_signal(ssh_session, ssh_channel, const char* signal, int, const char*, const char*, void* self) {
    static_cast<Ending*>(self)->status = status_of_signal(signal ? signal : "");
  }
};

class SshStream final : public Stream {
 public:
  explicit SshStream(std::shared_ptr<SshConnection> connection) : connection_(std::move(connection)) {}
  ~SshStream() override;

  Status start(const std::string& command, Deadline);
  Status write(std::string_view bytes, Deadline) override;
  Status close_input() override;
  Result<Chunk> read(Deadline) override;
  Result<int> exit_status(Deadline) override;

 private:
  Result<Chunk> take();
  Status keep_output();
  Status flush(Deadline);
  Result<std::size_t> write_some(std::string_view bytes);
  [[nodiscard]] tl::unexpected<Error> lost() const {
    return fail(Errc::transport, "the SSH connection was lost: " + connection_->last_error());
  }

  std::shared_ptr<SshConnection> connection_;
  ssh_channel channel_ = nullptr;
  Ending ending_;
  ssh_channel_callbacks_struct callbacks_{};
  std::deque<Chunk> backlog_;
  std::size_t backlog_bytes_ = 0;
  bool err_next_ = false;
};

SshStream::~SshStream() {
  if (!channel_) return;
  Watchdog guard({connection_->socket()}, Deadline::after(Duration{500}));
  std::lock_guard lock(connection_->mutex());
  ssh_remove_channel_callbacks(channel_, &callbacks_);
  ssh_channel_close(channel_);
  ssh_channel_free(channel_);
}

Status SshStream::start(const std::string& command, Deadline deadline) {
  VT_FAILPOINT("ssh.open");
  {
    std::lock_guard lock(connection_->mutex());
    channel_ = ssh_channel_new(connection_->session());
    if (!channel_) return fail(Errc::transport, "exec: " + connection_->last_error());
    ssh_callbacks_init(&callbacks_);
    callbacks_.userdata = &ending_;
    callbacks_.channel_exit_status_function = Ending::by_exit;
    callbacks_.channel_exit_signal_function = Ending::by_signal;
    ssh_set_channel_callbacks(channel_, &callbacks_);
  }
  VT_TRY(int opened, connection_->drive(
                         "exec: opening a channel", [&] { return ssh_channel_open_session(channel_); }, deadline));
  int rc = opened;
  if (opened == SSH_OK) {
    VT_TRY(rc, connection_->drive(
                   "exec: starting the command", [&] { return ssh_channel_request_exec(channel_, command.c_str()); }, deadline));
  }
  if (rc == SSH_OK) return {};
  std::lock_guard lock(connection_->mutex());
  if (!ssh_is_connected(connection_->session()))
    return fail(Errc::transport, "exec: the connection was lost: " + connection_->last_error());
  return fail(Errc::refused,
              "exec: the server refuses to run commands (" + connection_->last_error() + "); MaxSessions or a forced command there?");
}

Result<std::size_t> SshStream::write_some(std::string_view bytes) {
  std::lock_guard lock(connection_->mutex());
  int n = ssh_channel_write(channel_, bytes.data(), static_cast<std::uint32_t>(std::min(bytes.size(), kPiece)));
  if (n >= 0) return static_cast<std::size_t>(n);
  if (ssh_is_connected(connection_->session())) return fail(Errc::transport, "the command closed its input");
  return lost();
}

Status SshStream::write(std::string_view bytes, Deadline deadline) {
  VT_FAILPOINT("ssh.write");
  Watchdog guard({connection_->socket()}, Deadline::after(deadline.left() + Duration{500}));
  while (!bytes.empty()) {
    VT_TRY(auto n, write_some(bytes));
    bytes.remove_prefix(n);
    if (n) continue;
    VT_CHECK(keep_output());  // the peer may only read on once its own output is taken
    if (deadline.passed()) return fail(Errc::timeout, "the host does not take input; it is frozen, or the command does not read");
    connection_->wait(deadline);
  }
  return flush(deadline);
}

/// libssh sends what it holds only when it is called. Once the command has ended its pending flag stays up for ever, and nobody
/// is left to read.
Status SshStream::flush(Deadline deadline) {
  while (true) {
    VT_CHECK(keep_output());
    {
      std::lock_guard lock(connection_->mutex());
      bool pending = (ssh_get_poll_flags(connection_->session()) & SSH_WRITE_PENDING) != 0;
      if (!pending || ssh_channel_is_eof(channel_) != 0) return {};
    }
    if (deadline.passed()) return fail(Errc::timeout, "the host does not take input; it is frozen or cut off");
    connection_->wait(deadline);
  }
}

Status SshStream::keep_output() {
  while (backlog_bytes_ < kBacklog) {
    VT_TRY(auto chunk, take());
    if (chunk.bytes.empty()) return {};
    backlog_bytes_ += chunk.bytes.size();
    backlog_.push_back(std::move(chunk));
  }
  return {};
}

Status SshStream::close_input() {
  {
    std::lock_guard lock(connection_->mutex());
    if (ssh_channel_send_eof(channel_) == SSH_ERROR && !ssh_is_connected(connection_->session())) return lost();
  }
  return flush(Deadline::after(Duration{1000}));
}

/// What has arrived: bytes, the end, or nothing yet. A read of 0 is not the end, only the channel's EOF is.
Result<Stream::Chunk> SshStream::take() {
  std::lock_guard lock(connection_->mutex());
  for (int i = 0; i < 2; ++i) {
    bool err = std::exchange(err_next_, !err_next_);
    std::string bytes(kPiece, '\0');
    int n = ssh_channel_read_nonblocking(channel_, bytes.data(), kPiece, err);
    if (n <= 0) continue;
    bytes.resize(static_cast<std::size_t>(n));
    return Chunk{std::move(bytes), err ? From::err : From::out, false};
  }
  if (ssh_channel_is_eof(channel_)) return Chunk{{}, From::out, true};
  if (!ssh_is_connected(connection_->session())) return lost();
  return Chunk{};
}

Result<Stream::Chunk> SshStream::read(Deadline deadline) {
  VT_FAILPOINT("ssh.read");
  if (!backlog_.empty()) {
    Chunk chunk = std::move(backlog_.front());
    backlog_.pop_front();
    backlog_bytes_ -= chunk.bytes.size();
    return chunk;
  }
  Watchdog guard({connection_->socket()}, Deadline::after(deadline.left() + Duration{500}));
  while (true) {
    VT_TRY(auto chunk, take());
    if (!chunk.bytes.empty() || chunk.end || deadline.passed()) return chunk;
    connection_->wait(deadline);
  }
}

Result<int> SshStream::exit_status(Deadline deadline) {
  Watchdog guard({connection_->socket()}, Deadline::after(deadline.left() + Duration{500}));
  while (true) {
    {
      std::lock_guard lock(connection_->mutex());
      ssh_channel_get_exit_status(channel_);  // handles what has arrived; the status itself comes through the callback
      if (ending_.status) return *ending_.status;
      if (!ssh_is_connected(connection_->session())) return lost();
      if (ssh_channel_is_closed(channel_)) return fail(Errc::transport, "the host sent no exit status: the command did not end by itself");
    }
    if (deadline.passed()) return fail(Errc::timeout, "the command did not end in time");
    connection_->wait(deadline);
  }
}

}  // namespace

Result<std::unique_ptr<Stream>> open_ssh_stream(std::shared_ptr<SshConnection> connection, std::string_view command, Deadline deadline) {
  auto stream = std::make_unique<SshStream>(std::move(connection));
  VT_CHECK(stream->start(std::string(command), deadline));
  return stream;
}

}  // namespace vt
