#include "remote-agent/base/os.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace vt::agent {

namespace {
std::int64_t now_ms(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return std::int64_t{t.tv_sec} * 1000 + t.tv_nsec / 1'000'000;
}
}  // namespace

std::int64_t boot_ms() { return now_ms(CLOCK_BOOTTIME); }
std::int64_t wall_ms() { return now_ms(CLOCK_REALTIME); }

std::string boot_id() {
  auto id = read_file("/proc/sys/kernel/random/boot_id");
  return id.substr(0, id.find('\n'));
}

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Pipe{};
  return {Fd(ends[0]), Fd(ends[1])};
}

Pipe make_socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return Pipe{};
  return {Fd(ends[0]), Fd(ends[1])};
}

void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    auto n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool wait_readable(int fd, std::int64_t ms) {
  for (auto end = boot_ms() + ms;;) {
    pollfd p{fd, POLLIN, 0};
    auto n = poll(&p, 1, static_cast<int>(std::max<std::int64_t>(0, end - boot_ms())));
    if (n >= 0 || errno != EINTR) return n > 0;
  }
}

std::string read_file(const std::string& path, std::size_t limit) {
  Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string out;
  while (file && out.size() < limit) {
    char buffer[4096];
    auto n = read(file.get(), buffer, std::min(sizeof buffer, limit - out.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    out.append(buffer, static_cast<std::size_t>(n));
  }
  return out;
}

void drop_descriptors(const std::vector<int>& keep) {
  std::vector<int> open_now;
  std::error_code ignored;
  for (auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored))
    open_now.push_back(std::atoi(entry.path().filename().c_str()));
  for (auto fd : open_now)
    if (fd > 2 && std::find(keep.begin(), keep.end(), fd) == keep.end()) close(fd);
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd <= 2; fd++) dup2(null, fd);
  if (null > 2) close(null);
}

Chunk read_chunk(int fd) {
  static std::array<char, 65536> buffer;
  auto n = read(fd, buffer.data(), buffer.size());
  if (n > 0) return {{buffer.data(), static_cast<std::size_t>(n)}, false};
  return {{}, n == 0 || (errno != EAGAIN && errno != EINTR)};
}

bool Outbox::flush(int fd) {
  while (pending() > 0) {
    auto n = write(fd, pending_.data() + at_, pending());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0) return false;
    at_ += static_cast<std::size_t>(n);
  }
  if (pending() == 0 || at_ > 1024 * 1024) pending_.erase(0, at_), at_ = 0;
  return true;
}

}  // namespace vt::agent
