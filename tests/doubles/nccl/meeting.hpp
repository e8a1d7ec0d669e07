#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vt::doubles {

/// Data on its way to or from one rank.
struct Part {
  int peer = 0;
  bool send = false;
  char* data = nullptr;
  std::size_t bytes = 0, done = 0;
};

enum class Ended { well, aborted, peer_gone };

/// Where the ranks of a communicator meet, threads or processes of one machine: a file in /dev/shm (TMPDIR where there is none) with a
/// mailbox for each pair of them. Each rank holds a lock on its byte of the file, so that the others see it go, however it ends. The
/// file has no name any more once all have come.
class Meeting {
 public:
  static std::string new_name();
  /// nullptr: it cannot be made.
  static std::shared_ptr<Meeting> join(const std::string& name, int rank, int world);
  ~Meeting();
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  [[nodiscard]] bool complete() const;
  /// Moves all parts, each pair of ranks in the order of the parts.
  Ended exchange(std::vector<Part> parts, const std::atomic<bool>& aborted);

 private:
  static constexpr std::size_t kChunk = 128 * 1024;
  struct Mailbox {
    std::atomic<std::uint32_t> bytes;  ///< 0: empty
    char data[kChunk];
  };
  struct Shared {
    std::atomic<int> joined;
  };

  Meeting(std::string path, int file, int rank, int world) : path_(std::move(path)), file_(file), rank_(rank), world_(world) {}
  bool map();
  bool lock_own() const;
  [[nodiscard]] bool gone(int peer) const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] Mailbox& box(int from, int to) const;
  bool move_some(Part& part);
  bool move_each_once(std::vector<Part>& parts);

  std::string path_;
  int file_, rank_, world_;
  void* at_ = nullptr;
};

}  // namespace vt::doubles
