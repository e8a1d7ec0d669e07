#include "remote-agent/gpu/graph.hpp"

namespace vt::gpu {

Result<Graph> Graph::begin(Device& device, Stream stream) {
  if (device.info().is_cpu()) return fail(Errc::refused, "a processor has no graphs");
  VT_TRY(const auto* driver, cuda::driver());
  if (!driver->cuStreamBeginCapture_v2 || !driver->cuStreamEndCapture || !driver->cuGraphInstantiateWithFlags || !driver->cuGraphLaunch ||
      !driver->cuGraphExecDestroy || !driver->cuGraphDestroy)
    return fail(Errc::refused, "the driver has no graphs, or older ones");
  VT_CHECK(device.use());
  VT_CUDA(*driver, cuStreamBeginCapture_v2, stream.handle, cuda::kCaptureThreadLocal);
  return Graph(device, *driver, stream);
}

Status Graph::end() {
  VT_CHECK(device_->use());
  VT_CUDA(*cuda_, cuStreamEndCapture, stream_.handle, &graph_);
  VT_CUDA(*cuda_, cuGraphInstantiateWithFlags, &ready_, graph_, 0);
  return {};
}

Status Graph::launch() {
  VT_CHECK(device_->use());
  VT_CUDA(*cuda_, cuGraphLaunch, ready_, stream_.handle);
  return {};
}

Graph::~Graph() {
  if (!graph_ || !device_->use()) return;
  if (ready_) cuda_->cuGraphExecDestroy(ready_);
  cuda_->cuGraphDestroy(graph_);
}

}  // namespace vt::gpu
