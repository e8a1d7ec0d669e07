#pragma once
#include <sys/types.h>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/result.hpp"
#include "remote-agent/base/os.hpp"
#include "remote-agent/protocol/frames.hpp"

namespace vt::agent {

/// A process that touches GPUs for this one: `--gpu-worker CHECK WHERE` of this program, leader of a process group of its own,
/// dead when this process is. It speaks frames on a pipe and hears on its standard input; what it prints goes where ours goes.
class GpuChild {
 public:
  /// `where`: "cpu", an ordinal, "0,2" or "all".
  static Result<GpuChild> start(const std::string& check, const std::string& where);
  GpuChild(GpuChild&&) noexcept = default;
  GpuChild& operator=(GpuChild&&) noexcept = default;

  [[nodiscard]] int frames() const { return frames_.get(); }  ///< to be polled for reading; -1 when closed
  /// To be polled for writing; -1 when nothing waits to be written.
  [[nodiscard]] int input() const { return to_it_.pending() > 0 ? input_.get() : -1; }
  /// What it said since. A line that is no frame ends the reading.
  std::vector<nlohmann::json> read();
  void tell(const nlohmann::json& frame);
  void flush();
  void kill_group(int signal) const;
  /// True from when it has ended on; its frames may still have to be read.
  bool ended();
  /// "crashed (signal 11)", "ended with status 70 and no result"; for one that has ended without a result.
  [[nodiscard]] std::string how_it_ended() const;
  /// It ended itself because its device did not come back (checks::kHung).
  [[nodiscard]] bool gave_up() const;

 private:
  GpuChild() = default;
  Fd frames_, input_;
  Outbox to_it_;
  protocol::LineReader lines_;
  pid_t pid_ = 0;
  std::optional<int> status_;
};

}  // namespace vt::agent
