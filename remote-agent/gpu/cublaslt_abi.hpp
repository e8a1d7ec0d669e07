#pragma once
#include <cstddef>
#include <cstdint>

/// The part of cuBLASLt that we call, declared here so that nothing of NVIDIA's is needed to build: numbers and layouts as in cublasLt.h,
/// cublas_api.h and library_types.h of 11.8 to 13.1 (tests/contract/abi holds them against those headers). Block scales came with 12.8.
namespace vt::gpu::cublaslt {

struct Algorithm {
  std::uint64_t data[8];
};
/// cublasLtMatmulHeuristicResult_t
struct Proposal {
  Algorithm algorithm;
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Proposal) == 96);

/// cublasStatus_t
enum Code : int {
  kSuccess = 0,
  kNotInitialised = 1,
  kNoMemory = 3,
  kInvalidValue = 7,
  kArchMismatch = 8,
  kExecutionFailed = 13,
  kInternalError = 14,
  kNotSupported = 15
};
/// cudaDataType_t
enum Type : int { kR32F = 0, kR64F = 1, kR16F = 2, kR8I = 3, kR32I = 10, kR16BF = 14, kR8E4M3 = 28, kR8E5M2 = 29, kR4E2M1 = 33 };
/// cublasComputeType_t
enum Compute : int { k32F = 68, k32FPedantic = 69, k64F = 70, k32I = 72, k32FFastTf32 = 77 };
/// cublasLtMatmulDescAttributes_t: 32 bits each, but the two pointers
enum DescAttribute : int { kTransposeA = 3, kTransposeB = 4, kAScalePointer = 17, kBScalePointer = 18, kAScaleMode = 31, kBScaleMode = 32 };
/// cublasLtMatmulPreferenceAttributes_t: 64 bits, 32 bits
enum PreferenceAttribute : int { kMostWorkspace = 1, kReductions = 3 };
/// cublasLtMatmulAlgoConfigAttributes_t: 32 bits each
enum ConfigAttribute : int { kAlgorithmId = 0, kTile = 1, kSplitK = 2, kStages = 6 };
/// cublasOperation_t, cublasLtMatmulMatrixScale_t
constexpr int kTransposed = 1, kScalePer16 = 1;
/// cublasLtReductionScheme_t. Parts of a product that is split along k may only be added in the type that is computed in: in the result's
/// type each of them would be rounded, which our bounds do not allow for.
constexpr std::uint32_t kReduceInComputeType = 2;
/// What the proposals take for granted of operands, unless they are told otherwise (CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES).
constexpr std::size_t kAlignment = 256;

// clang-format off: a table, one function a line: what it returns, its name, its parameters
#define VT_CUBLASLT_FUNCTIONS(X)                                                                                                           \
  X(std::size_t, cublasLtGetVersion)                                                                                                       \
  X(int, cublasLtCreate, void**)                                                                                                           \
  X(int, cublasLtDestroy, void*)                                                                                                           \
  X(int, cublasLtMatmul, void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*, void*, void*, void*, \
    const Algorithm*, void*, std::size_t, void*)                                                                                           \
  X(int, cublasLtMatmulAlgoGetHeuristic, void*, void*, void*, void*, void*, void*, void*, int, Proposal*, int*)                            \
  X(int, cublasLtMatmulAlgoConfigGetAttribute, const Algorithm*, int, void*, std::size_t, std::size_t*)                                    \
  X(int, cublasLtMatmulDescCreate, void**, int, int)                                                                                       \
  X(int, cublasLtMatmulDescSetAttribute, void*, int, const void*, std::size_t)                                                             \
  X(int, cublasLtMatmulDescDestroy, void*)                                                                                                 \
  X(int, cublasLtMatrixLayoutCreate, void**, int, std::uint64_t, std::uint64_t, std::int64_t)                                              \
  X(int, cublasLtMatrixLayoutDestroy, void*)                                                                                               \
  X(int, cublasLtMatmulPreferenceCreate, void**)                                                                                           \
  X(int, cublasLtMatmulPreferenceSetAttribute, void*, int, const void*, std::size_t)                                                       \
  X(int, cublasLtMatmulPreferenceDestroy, void*)
// clang-format on

struct Functions {
#define VT_CUBLASLT_MEMBER(returned, name, ...) returned (*name)(__VA_ARGS__) = nullptr;
  VT_CUBLASLT_FUNCTIONS(VT_CUBLASLT_MEMBER)
#undef VT_CUBLASLT_MEMBER
};

}  // namespace vt::gpu::cublaslt
