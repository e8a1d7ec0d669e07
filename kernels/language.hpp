#pragma once
// What lets one kernel source be machine code for a GPU (nvcc or NVRTC) and a C++ function for the CPU device.
//
// The rule that makes it work: a kernel is a loop over its items with VT_EACH and is right for any number of threads, even
// one. No shared memory, no barriers, no warp intrinsics outside #ifdef VT_GPU blocks whose #else branch computes the same.
// VT_FUNCTION is for what is in the innermost loop; VT_SEPARATE for what is long and seldom called (reports, conversions): inlined
// into unrolled loops it made kernels of 350 KiB.
// Sources include nothing but each other, so that NVRTC can compile them on a host without headers.

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define VT_GPU 1
#define VT_KERNEL extern "C" __global__ void
#define VT_FUNCTION static __device__ __forceinline__
#define VT_SEPARATE static __device__ __noinline__
#else
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#define VT_KERNEL inline void
#define VT_FUNCTION inline
#define VT_SEPARATE inline
#endif

namespace vt::kernels {

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#ifdef VT_GPU
VT_FUNCTION u64 first_item() { return blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x; }
VT_FUNCTION u64 item_step() { return gridDim.x * static_cast<u64>(blockDim.x); }
VT_FUNCTION u64 add_atomically(u64* where, u64 n) { return atomicAdd(where, n); }
VT_FUNCTION u32 bits_of(float x) { return __float_as_uint(x); }
VT_FUNCTION float float_of(u32 bits) { return __uint_as_float(bits); }
#else
/// Which of how many threads of the CPU device this is.
struct Lane {
  u64 index = 0, count = 1;
};
inline thread_local Lane lane;
VT_FUNCTION u64 first_item() { return lane.index; }
VT_FUNCTION u64 item_step() { return lane.count; }
VT_FUNCTION u64 add_atomically(u64* where, u64 n) { return std::atomic_ref<u64>(*where).fetch_add(n); }
VT_FUNCTION u32 bits_of(float x) {
  u32 bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
VT_FUNCTION float float_of(u32 bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
#endif

/// for (VT_EACH(i, n)) visits this thread's share of 0 … n-1.
// clang-format off: a loop head, not an expression
#define VT_EACH(i, n)                                 \
  ::vt::kernels::u64 i = ::vt::kernels::first_item(); \
  i < (n);                                            \
  i += ::vt::kernels::item_step()
// clang-format on

}  // namespace vt::kernels
