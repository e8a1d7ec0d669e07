#include "remote-agent/sink.hpp"

#include <poll.h>
#include <sys/stat.h>

namespace vt::agent {

namespace {
constexpr std::int64_t kLastWaitMs = 30'000;  ///< how long a slow session may take to read the result
}

bool SocketSink::put(const std::string& line) {
  box_.add(line);
  box_.flush(fd_);  // a session that is gone shows on the control side
  return true;
}

bool SocketSink::put_last(const std::string& line) {
  box_.add(line);
  for (auto end = boot_ms() + kLastWaitMs; box_.flush(fd_) && box_.pending() > 0 && boot_ms() < end;) {
    pollfd p{fd_, POLLOUT, 0};
    poll(&p, 1, 1000);
  }
  return true;
}

bool JournalSink::put(const std::string& line) {
  struct stat before {};
  if (fstat(journal_.get(), &before) != 0) return false;
  if (write_all(journal_.get(), line)) return true;
  [[maybe_unused]] auto whole_lines_only = ftruncate(journal_.get(), before.st_size);
  return false;
}

bool JournalSink::put_last(const std::string& line) {
  bool written = put(line);
  if (!written) {
    unlink(reserve_.c_str());
    written = put(line);
  }
  return written && fsync(journal_.get()) == 0;
}

}  // namespace vt::agent
