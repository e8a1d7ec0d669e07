#pragma once
#include "remote-agent/gpu/cuda.hpp"
#include "remote-agent/gpu/device.hpp"

namespace vt::gpu {

Result<cuda::DeviceId> device_id(const cuda::Driver&, int ordinal);
/// What the driver and /sys say about a device; needs no context.
Result<DeviceInfo> read_info(const cuda::Driver&, cuda::DeviceId, int ordinal);

}  // namespace vt::gpu
