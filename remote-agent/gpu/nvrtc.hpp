#pragma once
#include <string>

#include "orchestrator/model/result.hpp"

namespace vt::gpu {

struct Compiled {
  std::string code;      ///< machine code (a cubin) of all kernels
  std::string compiler;  ///< NVRTC's version: "12.8"
};
/// Compiles kernels::source() for exactly `sm` with the host's NVRTC, one that is not of a newer CUDA than the driver knows
/// (`driver_version` as cuDriverGetVersion has it; 0 = any): older drivers refuse what it makes. Errc::not_found: there is none.
Result<Compiled> compile_kernels(int driver_version, int sm);

}  // namespace vt::gpu
