#pragma once
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vt::agent {

/// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~Fd() { reset(); }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read, write;
};
Pipe make_pipe();         ///< close-on-exec; invalid descriptors when the system has no more
Pipe make_socket_pair();  ///< both ends read and write; close-on-exec, not blocking
void set_nonblocking(int fd);
/// Blocks until all is written; false: errno says why not.
bool write_all(int fd, std::string_view);
/// Waits until fd is readable; false after `ms`.
bool wait_readable(int fd, std::int64_t ms);
/// Up to `limit` bytes of a file; empty if it cannot be read.
std::string read_file(const std::string& path, std::size_t limit = 65536);
/// Points 0, 1 and 2 at /dev/null and closes all others but those in `keep`: nobody is held up by this process.
void drop_descriptors(const std::vector<int>& keep);

std::int64_t boot_ms();  ///< since boot, counting sleep: a deadline does not stretch over a suspend
std::int64_t wall_ms();  ///< since 1970
std::string boot_id();
/// Bytes of an fd until it would block, at most one chunk. `end`: closed or broken.
struct Chunk {
  std::string_view bytes;  ///< valid until the next call
  bool end = false;
};
Chunk read_chunk(int fd);

/// Bytes on their way to a descriptor that does not block.
class Outbox {
 public:
  void add(std::string_view bytes) { pending_ += bytes; }
  /// Writes what fits; false: the reader is gone.
  bool flush(int fd);
  [[nodiscard]] std::size_t pending() const { return pending_.size() - at_; }

 private:
  std::string pending_;
  std::size_t at_ = 0;
};

}  // namespace vt::agent
