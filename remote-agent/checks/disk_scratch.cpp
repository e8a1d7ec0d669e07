#include "remote-agent/checks/disk_scratch.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "kernels/pattern.hpp"

namespace vt::checks {

namespace {

constexpr std::uint64_t kMib = 1024 * 1024, kLeast = 8;

Error because(const std::string& what) {
  return {errno == ENOSPC || errno == EDQUOT ? Errc::disk_full : Errc::refused, what + ": " + std::strerror(errno)};
}

bool in_memory(const std::string& folder) {
  struct statfs info {};
  return statfs(folder.c_str(), &info) == 0 && (info.f_type == TMPFS_MAGIC || info.f_type == RAMFS_MAGIC);
}

std::string agent_folder() {
  std::array<char, 4096> path{};
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) <= 0) return "";
  std::string file = path.data();
  return file.substr(0, file.rfind('/'));
}

Result<std::string> choose_folder(const Task& task) {
  if (auto asked = task.text("dir"); !asked.empty()) return asked;
  auto* home = std::getenv("HOME");
  for (const std::string& folder : {std::string("/var/tmp"), agent_folder(), std::string(home ? home : ""), std::string("/tmp")})
    if (!folder.empty() && access(folder.c_str(), W_OK) == 0 && !in_memory(folder)) return folder;
  return fail(Errc::not_found, "no folder that can be written is on a disk: name one in args.dir");
}

/// The type of the mount that holds `folder`: the last of those in mountinfo with the file's device number.
std::string type_of_mount(int fd) {
  auto table = agent::read_file("/proc/self/mountinfo", 1 << 20);
  auto info = agent::read_file("/proc/self/fdinfo/" + std::to_string(fd));
  auto at = info.find("mnt_id:");
  if (at == std::string::npos) return "";
  auto id = std::to_string(std::atoi(info.c_str() + at + 7)) + " ";
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(id))
      if (auto dash = line.find(" - "); dash != std::string::npos) return line.substr(dash + 3, line.find(' ', dash + 3) - dash - 3);
  return "";
}

}  // namespace

void DiskBuffer::Free::operator()(std::uint64_t* p) const { std::free(p); }

DiskBuffer::DiskBuffer(std::size_t bytes) : bytes_(bytes), at_(static_cast<std::uint64_t*>(std::aligned_alloc(kDiskPage, bytes))) {}

Result<Scratch> Scratch::make(const Task& task) {
  Scratch out;
  VT_TRY(out.folder_, choose_folder(task));
  auto path = out.folder_ + "/.vault-test-disk-XXXXXX";
  out.fd_ = agent::Fd(mkostemp(path.data(), O_CLOEXEC));
  if (!out.fd_) return fail(because("cannot make a file in " + out.folder_));
  unlink(path.c_str());
  out.seed_ = static_cast<std::uint64_t>(agent::wall_ms());  // never what an earlier run has left on the disk
  out.file_system_ = type_of_mount(out.fd_.get());
  // Some file systems take the flag and refuse the first transfer, so one is made.
  DiskBuffer page(kDiskPage);
  std::memset(page.words(), 0, page.bytes());
  out.direct_ = fcntl(out.fd_.get(), F_SETFL, fcntl(out.fd_.get(), F_GETFL) | O_DIRECT) == 0;
  out.direct_ = out.direct_ && pwrite(out.fd_.get(), page.words(), page.bytes(), 0) == static_cast<ssize_t>(page.bytes());
  if (!out.direct_) fcntl(out.fd_.get(), F_SETFL, fcntl(out.fd_.get(), F_GETFL) & ~O_DIRECT);
  return out;
}

std::string Scratch::path() const { return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd_.get()); }

Result<std::uint64_t> Scratch::fitting_mib(double mib) const {
  struct statvfs info {};
  if (fstatvfs(fd_.get(), &info) != 0) return fail(because("cannot ask how much is free in " + folder_));
  auto free_mib = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize / kMib;
  auto wanted = static_cast<std::uint64_t>(std::max(1.0, mib));
  if (free_mib / 2 < std::min(wanted, kLeast))
    return fail(Errc::disk_full, "only " + std::to_string(free_mib) + " MiB are free in " + folder_);
  return std::min(wanted, free_mib / 2);
}

Status Scratch::transfer(const DiskBuffer& buffer, std::uint64_t offset, bool write) const {
  auto* at = reinterpret_cast<char*>(buffer.words());
  for (std::size_t done = 0; done < buffer.bytes();) {
    auto left = buffer.bytes() - done;
    auto n = write ? pwrite(fd_.get(), at + done, left, static_cast<off_t>(offset + done))
                   : pread(fd_.get(), at + done, left, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) return fail(Errc::refused, "the file ends at " + std::to_string(offset + done));
    if (n < 0) return fail(because(write ? "cannot write" : "cannot read"));
    done += static_cast<std::size_t>(n);
  }
  return {};
}

Status Scratch::write(const DiskBuffer& buffer, std::uint64_t offset) const {
  auto first = offset / sizeof(std::uint64_t);
  for (std::size_t i = 0; i < buffer.count(); i++) buffer.words()[i] = kernels::word_at(seed_, first + i);
  return transfer(buffer, offset, true);
}

Status Scratch::read(const DiskBuffer& buffer, std::uint64_t offset) const { return transfer(buffer, offset, false); }

std::uint64_t Scratch::wrong_words(const DiskBuffer& buffer, std::uint64_t offset) const {
  auto first = offset / sizeof(std::uint64_t);
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < buffer.count(); i++) wrong += buffer.words()[i] != kernels::word_at(seed_, first + i);
  return wrong;
}

Status Scratch::settle() const {
  if (fsync(fd_.get()) != 0) return fail(because("cannot write"));
  posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_DONTNEED);
  return {};
}

Status Scratch::corrupt(std::uint64_t offset) const {
  DiskBuffer page(kDiskPage);
  auto start = offset / kDiskPage * kDiskPage;
  VT_CHECK(transfer(page, start, false));
  page.words()[0] ^= 1;
  return transfer(page, start, true);
}

}  // namespace vt::checks
