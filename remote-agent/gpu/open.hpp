#pragma once
#include "remote-agent/gpu/device.hpp"

namespace vt::gpu {

/// How many CUDA devices the driver shows to this process. Creates no context. Errc::not_found: no driver library or no device;
/// Errc::refused: the driver is there and says no (the text says what to do).
Result<int> count();
/// All of them, described without a context on any; errors as count().
Result<std::vector<DeviceInfo>> list();
/// Opens a CUDA device and loads our kernels: machine code for exactly this device, else the host's NVRTC, else PTX; on
/// one rung only if VT_RUNG says so (native, nvrtc, ptx).
Result<std::unique_ptr<Device>> open(int ordinal);
/// This machine's processor as a device: real arithmetic, honest label, no speed worth telling.
std::unique_ptr<Device> open_cpu();

}  // namespace vt::gpu
