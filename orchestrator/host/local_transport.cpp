#include "orchestrator/host/local_transport.hpp"

#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <deque>

#include "orchestrator/host/child.hpp"

extern char** environ;

namespace vt {

namespace {

constexpr std::size_t kPiece = 64 * 1024;
constexpr std::size_t kBacklog = 8 * 1024 * 1024;  ///< most output kept while a write waits for the command to read

bool passes(std::string_view name) {
  return name == "PATH" || name == "HOME" || name == "USER" || name == "LANG" || name.starts_with("LC_") || name.starts_with("XDG_");
}

std::vector<std::string> clean_environment() {
  std::vector<std::string> out;
  auto has = [&](std::string_view start) { return std::any_of(out.begin(), out.end(), [&](auto& v) { return v.starts_with(start); }); };
  for (auto at = environ; *at; ++at) {
    std::string_view variable(*at);
    if (passes(variable.substr(0, variable.find('=')))) out.emplace_back(variable);
  }
  if (!has("PATH=")) out.emplace_back("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  auto user = getpwuid(getuid());
  if (user && !has("HOME=")) out.emplace_back(std::string("HOME=") + user->pw_dir);
  if (user && !has("USER=")) out.emplace_back(std::string("USER=") + user->pw_name);
  return out;
}

/// write() without the SIGPIPE a closed pipe would raise in this thread; the process's own handling stays as it is.
ssize_t write_quietly(int fd, std::string_view bytes) {
  sigset_t pipe, before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
  auto n = ::write(fd, bytes.data(), bytes.size());
  int error = errno;
  timespec now{};
  if (n < 0 && error == EPIPE) ::sigtimedwait(&pipe, nullptr, &now);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return n;
}

class LocalStream final : public Stream {
 public:
  explicit LocalStream(Child child) : child_(std::move(child)) {}

  Status write(std::string_view bytes, Deadline deadline) override;
  Status close_input() override {
    child_.in.reset();
    return {};
  }
  Result<Chunk> read(Deadline) override;
  Result<int> exit_status(Deadline deadline) override { return child_.wait(deadline); }

 private:
  Chunk take();
  Chunk take_from(Fd& pipe, From from);
  void wait(bool to_write, Deadline deadline) const;

  Child child_;
  std::deque<Chunk> backlog_;
  std::size_t backlog_bytes_ = 0;
  bool err_next_ = false;
};

Status LocalStream::write(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    auto n = child_.in ? write_quietly(child_.in.get(), bytes) : -1;
    if (n < 0 && (!child_.in || (errno != EAGAIN && errno != EINTR))) return fail(Errc::transport, "the command closed its input");
    bytes.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 0);
    if (n > 0) continue;
    while (backlog_bytes_ < kBacklog) {  // it may only read on once its output is taken
      Chunk chunk = take();
      if (chunk.bytes.empty()) break;
      backlog_bytes_ += chunk.bytes.size();
      backlog_.push_back(std::move(chunk));
    }
    if (deadline.passed()) return fail(Errc::timeout, "the command does not read its input");
    wait(true, deadline);
  }
  return {};
}

Stream::Chunk LocalStream::take_from(Fd& pipe, From from) {
  std::string bytes(kPiece, '\0');
  auto n = pipe ? ::read(pipe.get(), bytes.data(), bytes.size()) : 0;
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) pipe.reset();
  bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return {std::move(bytes), from, false};
}

Stream::Chunk LocalStream::take() {
  for (int i = 0; i < 2; ++i) {
    bool err = std::exchange(err_next_, !err_next_);
    auto chunk = err ? take_from(child_.err, From::err) : take_from(child_.out, From::out);
    if (!chunk.bytes.empty()) return chunk;
  }
  return {{}, From::out, !child_.out && !child_.err};
}

void LocalStream::wait(bool to_write, Deadline deadline) const {
  bool full = backlog_bytes_ >= kBacklog;
  pollfd p[3] = {
      {full ? -1 : child_.out.get(), POLLIN, 0}, {full ? -1 : child_.err.get(), POLLIN, 0}, {to_write ? child_.in.get() : -1, POLLOUT, 0}};
  ::poll(p, 3, static_cast<int>(deadline.left().count()));
}

Result<Stream::Chunk> LocalStream::read(Deadline deadline) {
  if (!backlog_.empty()) {
    Chunk chunk = std::move(backlog_.front());
    backlog_.pop_front();
    backlog_bytes_ -= chunk.bytes.size();
    return chunk;
  }
  while (true) {
    auto chunk = take();
    if (!chunk.bytes.empty() || chunk.end || deadline.passed()) return chunk;
    wait(false, deadline);
  }
}

class LocalTransport final : public Transport {
 public:
  [[nodiscard]] Traits traits() const override { return {.survives_disconnect = true, .survives_reboot = false, .has_pty = false}; }
  Result<std::unique_ptr<Stream>> open(std::string_view command, Deadline) override {
    VT_TRY(auto child, Child::spawn({"/bin/sh", "-c", std::string(command)}, clean_environment()));
    return std::make_unique<LocalStream>(std::move(child));
  }
  [[nodiscard]] std::string where() const override { return "this machine"; }
};

}  // namespace

std::unique_ptr<Transport> make_local_transport() { return std::make_unique<LocalTransport>(); }

}  // namespace vt
