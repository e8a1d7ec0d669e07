#pragma once
#include <string>

#include "tests/doubles/cuda/abi.hpp"

namespace vt::doubles {

/// What an image was compiled for.
struct ImageKind {
  int sm = 0;
  bool ptx = false;
};
/// Reads the head of an image as the driver would: a cubin (ELF), PTX, or what the NVRTC double makes. `why` is for the log of the caller.
CUresult inspect(const void* image, int device_sm, ImageKind& out, std::string& why);

}  // namespace vt::doubles
