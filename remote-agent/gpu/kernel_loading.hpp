#pragma once
#include <span>
#include <string>

#include "kernels/images.hpp"
#include "remote-agent/gpu/cuda.hpp"
#include "remote-agent/gpu/device.hpp"

/// How our kernels get onto a device. The ladder: machine code made when this program was built; else the host's NVRTC compiles the same
/// source for exactly this device; else the driver compiles our PTX.
namespace vt::gpu {

enum class Rung { any, native, nvrtc, ptx };
/// The user's choice: VT_RUNG = native, nvrtc or ptx; any for anything else.
Rung chosen_rung();

/// Machine code that runs on `sm`: of the same major version and no higher minor one, the highest of those; nullptr: none. (10.x and
/// 12.x do not mix. CUDA programming guide, "Binary compatibility".)
const kernels::Image* native_image(std::span<const kernels::Image> images, int sm);
/// PTX made for no newer device than `sm`; nullptr: none.
const kernels::Image* ptx_image(std::span<const kernels::Image> images, int sm);

struct LoadedKernels {
  cuda::Module module = nullptr;
  std::string rung;  ///< as Device::rung says
};
/// Loads them into the current context, on that rung or the first that works. The error says what each rung tried said.
Result<LoadedKernels> load_kernels(const cuda::Driver&, int sm, Rung);
/// open.hpp's open() with this rung and no other.
Result<std::unique_ptr<Device>> open(int ordinal, Rung rung);

}  // namespace vt::gpu
