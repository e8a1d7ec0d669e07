#include "providers/private_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "orchestrator/host/fd.hpp"

namespace vt {

namespace {

tl::unexpected<Error> file_error(const std::string& path) {
  return fail(errno == ENOSPC || errno == EDQUOT ? Errc::disk_full : Errc::storage, path + ": " + std::strerror(errno));
}

}  // namespace

Status write_private_file(const std::string& path, const std::string& text) {
  auto folder = path.substr(0, path.rfind('/')), beside = path + ".new";
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return file_error(folder);
  Fd file(open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return file_error(beside);
  bool written = fchmod(file.get(), 0600) == 0 && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                 fsync(file.get()) == 0;
  if (!written || rename(beside.c_str(), path.c_str()) != 0) return file_error(beside);
  Fd above(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!above || fsync(above.get()) != 0) return file_error(folder);
  return {};
}

}  // namespace vt
