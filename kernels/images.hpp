#pragma once
#include <span>
#include <string_view>

#include "kernels/kernel.hpp"

namespace vt::kernels {

/// The kernels as compiled when this program was built.
struct Image {
  int sm;    ///< 120 = sm_120; of PTX the least device it can be compiled for
  bool ptx;  ///< else machine code
  std::string_view bytes;
};
/// Machine code in ascending order of sm, then PTX. Empty if there was no nvcc.
std::span<const Image> images();
/// Version of the nvcc that made them: "13.0.88"; empty without one.
std::string_view compiler();
/// All of the source as one text without includes, for NVRTC.
std::string_view source();

/// Every kernel there is, in the order of the source files.
std::span<const AnyKernel> all();
/// nullptr: no such kernel.
const AnyKernel* find(std::string_view name);

}  // namespace vt::kernels
