#include "providers/private_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "orchestrator/host/fd.hpp"

namespace vt {

namespace {

tl::unexpected<Error> file_error(const std::string& path) {
  return fail(errno == ENOSPC || errno == EDQUOT ? Errc::disk_full : Errc::storage, path + ": " + std::strerror(errno));
}

}  // namespace

Status write_private_file(const std::string& path, const std::string& text) {
  auto folder = path.substr(0, path.rfind('/')), beside = path + ".XXXXXX";
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return file_error(folder);
  Fd file(mkostemp(beside.data(), O_CLOEXEC));  // 0600, and a name of its own: two processes may write the same file at once
  if (!file) return file_error(beside);
  bool written = write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(file.get()) == 0;
  if (!written || rename(beside.c_str(), path.c_str()) != 0) {
    auto failed = file_error(beside);
    unlink(beside.c_str());
    return failed;
  }
  Fd above(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!above || fsync(above.get()) != 0) return file_error(folder);
  return {};
}

}  // namespace vt
