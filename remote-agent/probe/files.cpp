#include "remote-agent/probe/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

namespace vt::probe {
namespace {

constexpr std::size_t kMaxText = 1024 * 1024;

struct CloseFolder {
  void operator()(DIR* d) const { ::closedir(d); }
};

int read_all(int fd, std::string& out) {
  std::array<char, 16384> part{};
  while (out.size() < kMaxText) {
    auto n = ::read(fd, part.data(), part.size());
    if (n == 0) return 0;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    out.append(part.data(), static_cast<std::size_t>(n));
  }
  return 0;
}

}  // namespace

Files::Text Files::read(const std::string& path) const {
  // Non-blocking: a pipe or terminal where a file should be must not hang the probe.
  int fd = ::open(real(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return {"", errno};
  Text out;
  out.error = read_all(fd, out.text);
  ::close(fd);
  if (out.error) out.text.clear();
  while (!out.text.empty() && (out.text.back() == '\n' || out.text.back() == ' ')) out.text.pop_back();
  return out;
}

Files::Names Files::list(const std::string& folder) const {
  std::unique_ptr<DIR, CloseFolder> dir(::opendir(real(folder).c_str()));
  if (!dir) return {{}, errno};
  Names out;
  for (errno = 0; auto* entry = ::readdir(dir.get()); errno = 0) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") out.names.push_back(name);
  }
  out.error = errno;
  std::sort(out.names.begin(), out.names.end());
  return out;
}

Files::Status Files::stat(const std::string& path) const {
  struct stat s {};
  if (::stat(real(path).c_str(), &s) != 0) return {0, 0, errno};
  return {s.st_mode, s.st_uid, 0};
}

Files::Text Files::link(const std::string& path) const {
  std::array<char, 4096> target{};
  auto n = ::readlink(real(path).c_str(), target.data(), target.size());
  if (n < 0) return {"", errno};
  return {std::string(target.data(), static_cast<std::size_t>(n)), 0};
}

bool absent(int error) { return error == ENOENT || error == ENOTDIR; }

}  // namespace vt::probe
