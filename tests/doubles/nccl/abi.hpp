#pragma once
// The part of NCCL's public ABI that the double offers, under the names of nccl.h. Compiled a second time against nccl.h itself where
// that is installed (target vt_nccl_double_abi): a signature that differs does not compile.
#ifdef VT_AGAINST_NCCL_H
#include <nccl.h>
#else
#include <climits>
#include <cstddef>

using ncclComm_t = struct ncclComm*;
using cudaStream_t = struct CUstream_st*;
struct ncclUniqueId {
  char internal[128];
};

enum ncclResult_t : int {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7,
};
enum ncclRedOp_t : int { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4 };
enum ncclDataType_t : int {
  ncclInt8 = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
  ncclBfloat16 = 9,
};
/// As of 2.14; later versions only add to its end.
struct ncclConfig_t {
  std::size_t size;
  unsigned magic, version;
  int blocking;
};
#endif
