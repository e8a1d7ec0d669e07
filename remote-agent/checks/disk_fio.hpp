#pragma once
#include <string>
#include <vector>

#include "remote-agent/checks/disk_io.hpp"

namespace vt::checks {

/// fio, where the host has it on PATH: the measure people compare with.
bool has_fio();

struct FioJob {
  std::string access;              ///< "read", "write", "randread", "randwrite"
  std::vector<std::string> words;  ///< block size, depth, engine, time
  bool fsync = false;              ///< the latency is that of fsync
};
/// Runs one job on the file, which must have its full size already: one without a name cannot be made anew. Errc::refused: fio says no, in
/// its words; Errc::timeout: it did not end in time.
Result<IoFigures> run_fio(const Scratch&, const FioJob&, std::int64_t stop_at);
/// Reads what `fio --output-format=json` prints.
Result<IoFigures> read_fio(const std::string& text, const FioJob&);

}  // namespace vt::checks
