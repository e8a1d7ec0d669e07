#include "providers/emulator/hosts/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "orchestrator/host/fd.hpp"

namespace vt::emulator {

Status write_file(const std::string& path, const std::string& text, unsigned mode) {
  Fd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  bool written = fd && write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fchmod(fd.get(), mode) == 0;
  if (!written) return fail(errno == ENOSPC ? Errc::disk_full : Errc::storage, path + ": " + std::strerror(errno));
  return {};
}

std::string tail_of(const std::string& path, std::size_t most) {
  Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat st {};
  if (!fd || fstat(fd.get(), &st) != 0) return "";
  off_t start = st.st_size > static_cast<off_t>(most) ? st.st_size - static_cast<off_t>(most) : 0;
  std::string text(static_cast<std::size_t>(st.st_size - start), '\0');
  auto n = pread(fd.get(), text.data(), text.size(), start);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

void cap_file(const std::string& path, std::size_t most, std::size_t tail) {
  struct stat st {};
  if (stat(path.c_str(), &st) != 0 || st.st_size <= static_cast<off_t>(most)) return;
  if (write_file(path + ".old", tail_of(path, tail), 0600)) static_cast<void>(truncate(path.c_str(), 0) == 0);
}

}  // namespace vt::emulator
