#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "orchestrator/model/result.hpp"
#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"

namespace vt::checks {

constexpr std::size_t kDiskBlock = 1024 * 1024, kDiskPage = 4096;

/// Memory that direct transfers can use.
class DiskBuffer {
 public:
  explicit DiskBuffer(std::size_t bytes);
  [[nodiscard]] std::uint64_t* words() const { return at_.get(); }
  [[nodiscard]] std::size_t count() const { return bytes_ / sizeof(std::uint64_t); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::uint64_t* p) const;
  };
  std::size_t bytes_;
  std::unique_ptr<std::uint64_t, Free> at_;
};

/// A file without a name on the file system to be tested: nothing is left behind however this ends. Its n-th word holds
/// word_at(seed, n), so that what is read can be checked without keeping it. May be used by several threads at once.
class Scratch {
 public:
  /// In args.dir, or the first of /var/tmp, the agent's folder, the home folder and /tmp that can be written and is not in memory.
  static Result<Scratch> make(const Task&);

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] const std::string& file_system() const { return file_system_; }  ///< "ext4", "overlay", …
  /// Transfers go past the page cache. Some file systems refuse that; then the cache is written out and dropped between phases.
  [[nodiscard]] bool direct() const { return direct_; }
  /// By which another program opens the same file while this process lives.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] int fd() const { return fd_.get(); }
  /// `mib` cut to half of what is free there. Errc::disk_full: less than 8 MiB would be left.
  [[nodiscard]] Result<std::uint64_t> fitting_mib(double mib) const;

  /// Fills the buffer with the file's words from `offset` on and writes it there.
  Status write(const DiskBuffer&, std::uint64_t offset) const;
  Status read(const DiskBuffer&, std::uint64_t offset) const;
  /// Words of the buffer that are not the file's at `offset`.
  [[nodiscard]] std::uint64_t wrong_words(const DiskBuffer&, std::uint64_t offset) const;
  /// All of it on the disk, and none of it in the cache.
  Status settle() const;
  /// Flips one bit of what the disk holds.
  Status corrupt(std::uint64_t offset) const;

 private:
  Scratch() = default;
  Status transfer(const DiskBuffer&, std::uint64_t offset, bool write) const;

  agent::Fd fd_;
  std::string folder_, file_system_;
  std::uint64_t seed_ = 0;
  bool direct_ = false;
};

}  // namespace vt::checks
