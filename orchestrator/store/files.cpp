#include "orchestrator/store/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

namespace vt {

namespace {

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

std::string parent_of(const std::string& path) {
  auto parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

tl::unexpected<Error> failed(const std::string& path, const std::string& doing) { return fail(file_error(path, doing, errno)); }

Status make_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0) {
    if (chmod(path.c_str(), 0700) != 0) return failed(path, "cannot set its mode");
    return {};
  }
  if (errno == EEXIST) return {};
  if (errno != ENOENT || parent_of(path) == path) return failed(path, "cannot make the folder");
  VT_CHECK(make_folder(parent_of(path)));
  return make_folder(path);
}

Status write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    auto n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(path, "cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Status sync_folder(const std::string& path) {
  Fd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || fsync(folder.get()) != 0) return failed(path, "cannot sync the folder");
  return {};
}

Status fill_and_rename(int fd, const std::string& temporary, const std::string& path, std::string_view bytes) {
  if (fchmod(fd, 0600) != 0) return failed(temporary, "cannot set its mode");
  VT_CHECK(write_all(fd, bytes, temporary));
  if (fsync(fd) != 0) return failed(temporary, "cannot sync");
  if (rename(temporary.c_str(), path.c_str()) != 0) return failed(path, "cannot rename to it");
  return sync_folder(parent_of(path));
}

}  // namespace

bool means_disk_full(int number) { return number == ENOSPC || number == EDQUOT || number == EFBIG; }

Error file_error(const std::string& path, const std::string& doing, int number) {
  return {means_disk_full(number) ? Errc::disk_full : Errc::storage, path + ": " + doing + ": " + std::strerror(number)};
}

Status make_private_folder(const std::string& path) {
  VT_CHECK(make_folder(path));
  return check_private_folder(path);
}

Status check_private_folder(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return fail(Errc::not_found, path + ": there is no such folder");
    return failed(path, "cannot look at it");
  }
  if (!S_ISDIR(info.st_mode)) return fail(Errc::storage, path + ": not a folder");
  if (info.st_uid != geteuid()) return fail(Errc::storage, path + ": belongs to another user");
  if (info.st_mode & 022) return fail(Errc::storage, path + ": others can write to this folder; expected mode 0700 (chmod go-w)");
  struct statfs system {};
  if (statfs(path.c_str(), &system) != 0) return failed(path, "cannot look at its file system");
  if (auto name = network_file_system(static_cast<long>(system.f_type)))
    return fail(Errc::storage,
                path + ": is on " + std::string(*name) + ", a network file system, where locks cannot be trusted; use a local folder");
  return {};
}

Status make_private_file(const std::string& path) {
  // Without a descriptor: closing one would drop the locks that another connection of this process holds on the file.
  bool made = mknod(path.c_str(), S_IFREG | 0600, 0) == 0;
  if (!made && errno != EEXIST) return failed(path, "cannot make it");
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return failed(path, "cannot look at it");
  if (!S_ISREG(info.st_mode) || info.st_uid != geteuid()) return fail(Errc::storage, path + ": not a file of ours");
  if ((info.st_mode & 0777) != 0600 && chmod(path.c_str(), 0600) != 0) return failed(path, "cannot set its mode");
  return made ? sync_folder(parent_of(path)) : Status{};
}

Status replace_file(const std::string& path, std::string_view bytes) {
  std::string temporary = path + ".XXXXXX";
  Fd file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) return failed(path, "cannot make a temporary file beside it");
  auto done = fill_and_rename(file.get(), temporary, path, bytes);
  if (!done) unlink(temporary.c_str());
  return done;
}

Status make_preallocated_file(const std::string& path, std::int64_t bytes) {
  VT_CHECK(make_private_file(path));
  Fd file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file) return failed(path, "cannot open it");
  if (int number = posix_fallocate(file.get(), 0, bytes)) {
    unlink(path.c_str());
    return fail(file_error(path, "cannot set the space aside", number));
  }
  return sync_file(path);
}

Result<std::string> real_path(const std::string& path) {
  std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), &std::free);
  if (!real) return failed(path, "cannot resolve it");
  return std::string(real.get());
}

Status sync_file(const std::string& path) {
  Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || fsync(file.get()) != 0) return failed(path, "cannot sync");
  return {};
}

Result<std::string> read_file(const std::string& path) {
  Fd file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file && errno == ENOENT) return fail(Errc::not_found, path + ": there is no such file");
  if (!file) return failed(path, "cannot open it");
  std::string out;
  std::array<char, 65536> buffer{};
  for (;;) {
    auto n = read(file.get(), buffer.data(), buffer.size());
    if (n == 0) return out;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(path, "cannot read");
    out.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

std::optional<std::string_view> network_file_system(long magic) {
  // From linux/magic.h and statfs(2).
  constexpr std::pair<long, std::string_view> known[] = {
      {0x6969, "NFS"},     {0x517B, "SMB"},      {0xFE534D42, "SMB2"},   {0xFF534D42, "CIFS"},  {0x5346414F, "AFS"},
      {0x6B414653, "AFS"}, {0x73757245, "Coda"}, {0x00C36400, "Ceph"},   {0x01021997, "9p"},    {0x0BD00BD0, "Lustre"},
      {0x564C, "NCP"},     {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"}, {0x7461636F, "OCFS2"}, {0x01161970, "GFS2"},
  };
  for (auto& [number, name] : known)
    if (number == (magic & 0xFFFFFFFF)) return name;
  return std::nullopt;
}

}  // namespace vt
