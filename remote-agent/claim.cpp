#include "remote-agent/claim.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "remote-agent/lines.hpp"

namespace vt::agent {

namespace {

/// Another user's file in a sticky folder may be refused with O_CREAT (fs.protected_regular) or for writing; a lock needs neither.
Fd open_claim(const std::string& path, bool& writable) {
  writable = true;
  for (int flags : {O_RDWR | O_CREAT, O_RDWR, O_RDONLY}) {
    Fd file(open(path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666));
    writable = flags != O_RDONLY;
    struct stat info {};
    if (!file || fstat(file.get(), &info) != 0) continue;
    if (!S_ISREG(info.st_mode)) break;
    if (info.st_uid == geteuid()) fchmod(file.get(), 0666);
    return file;
  }
  return Fd{};
}

std::string token_in(int fd) {
  char text[1024];
  auto n = pread(fd, text, sizeof text, 0);
  auto frame = n > 0 ? frame_of(std::string(text, static_cast<std::size_t>(n))) : std::nullopt;
  return frame ? text_in(*frame, "token") : "";
}

}  // namespace

bool Claim::lock() {
  if (flock(file_.get(), (exclusive_ ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) return false;
  auto text = line_of({{"token", token_}, {"pid", getpid()}});
  if (writable_ && ftruncate(file_.get(), 0) == 0) writable_ = pwrite(file_.get(), text.data(), text.size(), 0) > 0;
  return true;
}

Claim::Answer Claim::take(const std::string& token, bool exclusive) {
  token_ = token, exclusive_ = exclusive;
  if (!file_) file_ = open_claim(path_, writable_);
  if (!file_) return {false, "cannot open " + path_ + ": " + std::strerror(errno)};
  locked_ = lock();
  if (locked_) return {true, ""};
  auto holder = token_in(file_.get());
  // Whoever has just taken the lock may not have written its name over the last holder's yet.
  if (holder == token) poll(nullptr, 0, 20), holder = token_in(file_.get());
  if (holder != token) token_.clear();
  return {holder == token, holder == token ? "" : holder};
}

void Claim::keep() {
  if (file_ && !locked_ && !token_.empty()) locked_ = lock();
}

}  // namespace vt::agent
