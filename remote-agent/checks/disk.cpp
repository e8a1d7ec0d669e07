#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/pattern.hpp"
#include "remote-agent/base/os.hpp"

namespace vt::checks {

namespace {

constexpr std::size_t kBlock = 1024 * 1024, kWords = kBlock / sizeof(std::uint64_t), kAlignment = 4096;

struct Free {
  void operator()(void* p) const { std::free(p); }
};

struct File {
  agent::Fd fd;
  bool direct = false;
};

/// A file without a name, so that nothing is left behind however this ends.
File open_scratch(const std::string& folder) {
  auto path = folder + "/.vault-test-disk-XXXXXX";
  File file;
  file.fd = agent::Fd(mkostemp(path.data(), O_CLOEXEC));
  if (!file.fd) return file;
  unlink(path.c_str());
  file.direct = fcntl(file.fd.get(), F_SETFL, fcntl(file.fd.get(), F_GETFL) | O_DIRECT) == 0;
  return file;
}

/// Some file systems take the flag and refuse the first transfer; then the cache is used and emptied in between.
void without_direct(File& file) {
  fcntl(file.fd.get(), F_SETFL, fcntl(file.fd.get(), F_GETFL) & ~O_DIRECT);
  file.direct = false;
}

std::string because(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

bool transfer(File& file, std::uint64_t* block, std::size_t number, bool write) {
  for (std::size_t done = 0; done < kBlock;) {
    auto* at = reinterpret_cast<char*>(block) + done;
    auto offset = static_cast<off_t>(number * kBlock + done);
    auto n = write ? pwrite(file.fd.get(), at, kBlock - done, offset) : pread(file.fd.get(), at, kBlock - done, offset);
    if (n < 0 && errno == EINVAL && file.direct) without_direct(file);
    else if (n <= 0 && errno != EINTR) return false;
    else done += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
  }
  return true;
}

double speed(std::size_t mib, std::int64_t since) {
  return static_cast<double>(mib) * 1000 / static_cast<double>(std::max<std::int64_t>(1, agent::boot_ms() - since));
}

}  // namespace

/// Writes args.mib MiB of pseudorandom data into a file in args.folder, reads it back and counts the words that differ.
Outcome verify_disk(const Task& task, Reporter& report) {
  auto folder = task.text("folder");
  if (folder.empty()) folder = "/var/tmp";
  auto mib = static_cast<std::size_t>(std::max(1.0, task.number("mib", 64)));
  auto file = open_scratch(folder);
  if (!file.fd) return {{}, folder, because(("cannot make a file in " + folder).c_str())};
  std::unique_ptr<std::uint64_t, Free> block(static_cast<std::uint64_t*>(std::aligned_alloc(kAlignment, kBlock)));
  auto seed = static_cast<std::uint64_t>(agent::wall_ms());  // never what an earlier run has left on the disk
  auto start = agent::boot_ms();
  for (std::size_t b = 0; b < mib; b++) {
    for (std::size_t i = 0; i < kWords; i++) block.get()[i] = word_at(seed, b * kWords + i);
    if (!transfer(file, block.get(), b, true)) return {{}, folder, because("cannot write")};
    if (b % 64 == 0) report.progress("writing", 0.5 * static_cast<double>(b) / static_cast<double>(mib));
  }
  if (fsync(file.fd.get()) != 0) return {{}, folder, because("cannot write")};
  auto written = speed(mib, start);
  posix_fadvise(file.fd.get(), 0, 0, POSIX_FADV_DONTNEED);
  std::uint64_t wrong = 0;
  start = agent::boot_ms();
  for (std::size_t b = 0; b < mib; b++) {
    if (!transfer(file, block.get(), b, false)) return {{}, folder, because("cannot read")};
    for (std::size_t i = 0; i < kWords; i++) wrong += block.get()[i] != word_at(seed, b * kWords + i);
    if (b % 64 == 0) report.progress("reading", 0.5 + 0.5 * static_cast<double>(b) / static_cast<double>(mib));
  }
  auto read_back = speed(mib, start);
  report.metric("write", written, "MiB/s", folder), report.metric("read", read_back, "MiB/s", folder);
  return {{{"wrong", wrong}, {"mib", mib}, {"direct", file.direct}, {"write_mib_s", written}, {"read_mib_s", read_back}}, folder, ""};
}

}  // namespace vt::checks
