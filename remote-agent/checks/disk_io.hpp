#pragma once
#include <string>

#include "remote-agent/checks/disk_scratch.hpp"

namespace vt::checks {

/// What one phase of work on a disk came to.
struct IoFigures {
  double bytes_per_second = 0, per_second = 0;
  double p50_us = 0, p99_us = 0;       ///< latency of single operations
  std::uint64_t bytes = 0, wrong = 0;  ///< wrong: words read that are not what was written
};

enum class Access { read, write };
struct IoPlan {
  Access access = Access::write;
  std::uint64_t mib = 0;     ///< size of the file
  int depth = 1;             ///< operations at once
  std::int64_t stop_at = 0;  ///< on the clock of boot_ms
};

/// Our own engine: as many threads as operations are to be under way. What it reads is compared word by word.
/// The whole file once, in blocks of 1 MiB, or as far as the time allows; ends with everything on the disk.
Result<IoFigures> sequential(const Scratch&, const IoPlan&);
/// Pages of 4 KiB at random places until the time is over; the file must have been written.
Result<IoFigures> random_pages(const Scratch&, const IoPlan&);
/// `count` times 4 KiB at the end of what was written before, each followed by fsync; the latency is the fsync's.
Result<IoFigures> synced_pages(const Scratch&, int count, std::int64_t stop_at);
struct WrittenAndRead {
  IoFigures write, read;
};
/// Writes `mib` MiB and reads all of them back from the disk; `fault` has one bit flipped in between. Errc::timeout: not done by then.
Result<WrittenAndRead> written_and_read(const Scratch&, std::uint64_t mib, bool fault, std::int64_t stop_at);

}  // namespace vt::checks
