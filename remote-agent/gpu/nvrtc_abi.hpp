#pragma once
#include <cstddef>

/// The part of NVRTC that we call, declared here so that nothing of NVIDIA's is needed to build: as in nvrtc.h since CUDA 11.1
/// (tests/contract/abi holds it against that header). Every function returns 0 when it is done.
namespace vt::gpu::nvrtc {

using Program = void*;  ///< nvrtcProgram

// clang-format off: a table, one function a line
#define VT_NVRTC_FUNCTIONS(X)                                                                            \
  X(nvrtcVersion, int*, int*)                                                                            \
  X(nvrtcCreateProgram, Program*, const char*, const char*, int, const char* const*, const char* const*) \
  X(nvrtcDestroyProgram, Program*)                                                                       \
  X(nvrtcCompileProgram, Program, int, const char* const*)                                               \
  X(nvrtcGetProgramLogSize, Program, std::size_t*)                                                       \
  X(nvrtcGetProgramLog, Program, char*)                                                                  \
  X(nvrtcGetCUBINSize, Program, std::size_t*)                                                            \
  X(nvrtcGetCUBIN, Program, char*)
// clang-format on

struct Functions {
#define VT_NVRTC_MEMBER(name, ...) int (*name)(__VA_ARGS__) = nullptr;
  VT_NVRTC_FUNCTIONS(VT_NVRTC_MEMBER)
#undef VT_NVRTC_MEMBER
};

}  // namespace vt::gpu::nvrtc
