#pragma once
#include "remote-agent/gpu/cuda.hpp"
#include "remote-agent/gpu/device.hpp"

namespace vt::gpu {

/// Work of a stream that was recorded once and can be launched as one. The device must live longer.
class Graph {
 public:
  /// Begins to record what is put into `stream`, one the device has made: nothing of it is done. Kernels must have been launched before, as
  /// loading one cannot be recorded. Errc::refused: the device has no graphs.
  static Result<Graph> begin(Device& device, Stream stream);
  /// Ends the recording and makes it ready.
  Status end();
  Status launch();

  Graph(Graph&& o) noexcept
      : device_(o.device_),
        cuda_(o.cuda_),
        stream_(o.stream_),
        graph_(std::exchange(o.graph_, nullptr)),
        ready_(std::exchange(o.ready_, nullptr)) {}
  Graph& operator=(Graph&&) = delete;
  ~Graph();

 private:
  Graph(Device& device, const cuda::Driver& driver, Stream stream) : device_(&device), cuda_(&driver), stream_(stream) {}

  Device* device_;
  const cuda::Driver* cuda_;
  Stream stream_;
  cuda::Graph graph_ = nullptr;
  cuda::GraphExec ready_ = nullptr;
};

}  // namespace vt::gpu
