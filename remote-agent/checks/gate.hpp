#pragma once
#include <functional>

#include "remote-agent/gpu/device.hpp"

namespace vt::checks {

/// Times a stream's work without the host's delays in handing it over: a kernel holds the stream up until all of the work is in the
/// queue (the method of nvbandwidth), and marks around the work say how long it took. On the processor nothing is held up.
class Gate {
 public:
  static Result<Gate> make(gpu::Device&);

  using Enqueue = std::function<Status()>;
  /// Seconds that what `enqueue` puts into `stream` takes there, once. The stream is done when this returns. `meanwhile` runs here
  /// while the stream works.
  Result<double> time(const Enqueue& enqueue, gpu::Stream stream = {}, const std::function<void()>& meanwhile = {});
  /// Passed when the timed work begins: what a second stream waits for, to begin at the same moment.
  [[nodiscard]] gpu::Mark start() const { return start_; }
  /// The gate once opened by itself: work of this kind makes the host wait. It is not used again, and times have the host's delays in them.
  [[nodiscard]] bool gave_up() const { return gave_up_; }

 private:
  Gate(gpu::Device& device, gpu::Buffer flags, gpu::Mark start, gpu::Mark end)
      : device_(&device), flags_(std::move(flags)), start_(start), end_(end) {}

  gpu::Device* device_;
  gpu::Buffer flags_;  ///< see vt_gate
  gpu::Mark start_, end_;
  bool gave_up_ = false;
};

}  // namespace vt::checks
