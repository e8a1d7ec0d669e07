#pragma once
#include <array>
#include <climits>
#include <cstddef>
#include <type_traits>

/// The part of NCCL that we call, declared here so that nothing of NVIDIA's is needed to build: as in nccl.h of 2.8 to 2.28
/// (tests/contract/abi holds it against that header).
namespace vt::gpu::nccl {

struct Comm;  ///< ncclComm

/// ncclResult_t
enum Code : int { kSuccess = 0, kUnhandledCuda, kSystem, kInternal, kInvalidArgument, kInvalidUsage, kRemote, kInProgress };

/// ncclUniqueId, passed by value: the same class to the calling convention as its struct of 128 chars.
using Id = std::array<char, 128>;
static_assert(sizeof(Id) == 128 && std::is_trivially_copyable_v<Id>);

/// The first members of ncclConfig_t, as of 2.14. A library reads as many bytes as `size` says, and of a `version` below 2.17 only
/// `blocking`; what lies behind it is set to "undefined" all the same.
struct Config {
  std::size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef, version = 21400;
  int blocking = 0, undefined = INT_MIN;
};
static_assert(sizeof(Config) == 24);

// clang-format off: a table, one function a line: what it returns, its name, its parameters
#define VT_NCCL_FUNCTIONS(X)                                                         \
  X(int, ncclGetVersion, int*)                                                       \
  X(int, ncclGetUniqueId, Id*)                                                       \
  X(int, ncclCommInitRank, Comm**, int, Id, int)                                     \
  X(int, ncclCommInitAll, Comm**, int, const int*)                                   \
  X(int, ncclCommDestroy, Comm*)                                                     \
  X(int, ncclCommAbort, Comm*)                                                       \
  X(int, ncclCommGetAsyncError, Comm*, int*)                                         \
  X(const char*, ncclGetErrorString, int)                                            \
  X(int, ncclGroupStart)                                                             \
  X(int, ncclGroupEnd)                                                               \
  X(int, ncclAllReduce, const void*, void*, std::size_t, int, int, Comm*, void*)     \
  X(int, ncclAllGather, const void*, void*, std::size_t, int, Comm*, void*)          \
  X(int, ncclReduceScatter, const void*, void*, std::size_t, int, int, Comm*, void*) \
  X(int, ncclBroadcast, const void*, void*, std::size_t, int, int, Comm*, void*)     \
  X(int, ncclReduce, const void*, void*, std::size_t, int, int, int, Comm*, void*)   \
  X(int, ncclSend, const void*, std::size_t, int, int, Comm*, void*)                 \
  X(int, ncclRecv, void*, std::size_t, int, int, Comm*, void*)
/// Since 2.14 and 2.13; an older library works without.
#define VT_NCCL_OPTIONAL_FUNCTIONS(X)                           \
  X(int, ncclCommInitRankConfig, Comm**, int, Id, int, Config*) \
  X(const char*, ncclGetLastError, Comm*)
// clang-format on

struct Functions {
#define VT_NCCL_MEMBER(returned, name, ...) returned (*name)(__VA_ARGS__) = nullptr;
  VT_NCCL_FUNCTIONS(VT_NCCL_MEMBER)
  VT_NCCL_OPTIONAL_FUNCTIONS(VT_NCCL_MEMBER)
#undef VT_NCCL_MEMBER
};

}  // namespace vt::gpu::nccl
