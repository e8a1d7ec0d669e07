// Ours of cuBLASLt against cublasLt.h and against the library.
#include "remote-agent/gpu/cublaslt_abi.hpp"

#include "tests/contract/abi/alike.hpp"
#include "tests/contract/abi/vendor.hpp"

using namespace vt;
namespace lt = gpu::cublaslt;

#ifdef VT_CUBLASLT_H
#include <cublasLt.h>

namespace {

#define VT_SAME(returned, name, ...) static_assert(test::kSameCall<decltype(lt::Functions::name), decltype(&::name)>, #name);
VT_CUBLASLT_FUNCTIONS(VT_SAME)
#undef VT_SAME

VT_SAME_SIZE(lt::Algorithm, cublasLtMatmulAlgo_t);
VT_SAME_SIZE(lt::Proposal, cublasLtMatmulHeuristicResult_t);
VT_SAME_MEMBER(lt::Proposal, algorithm, cublasLtMatmulHeuristicResult_t, algo);
VT_SAME_MEMBER(lt::Proposal, workspace, cublasLtMatmulHeuristicResult_t, workspaceSize);
VT_SAME_MEMBER(lt::Proposal, state, cublasLtMatmulHeuristicResult_t, state);
VT_SAME_MEMBER(lt::Proposal, waves, cublasLtMatmulHeuristicResult_t, wavesCount);
VT_SAME_MEMBER(lt::Proposal, reserved, cublasLtMatmulHeuristicResult_t, reserved);
VT_SAME_VALUE(lt::kSuccess, CUBLAS_STATUS_SUCCESS);
VT_SAME_VALUE(lt::kNotInitialised, CUBLAS_STATUS_NOT_INITIALIZED);
VT_SAME_VALUE(lt::kNoMemory, CUBLAS_STATUS_ALLOC_FAILED);
VT_SAME_VALUE(lt::kInvalidValue, CUBLAS_STATUS_INVALID_VALUE);
VT_SAME_VALUE(lt::kArchMismatch, CUBLAS_STATUS_ARCH_MISMATCH);
VT_SAME_VALUE(lt::kExecutionFailed, CUBLAS_STATUS_EXECUTION_FAILED);
VT_SAME_VALUE(lt::kInternalError, CUBLAS_STATUS_INTERNAL_ERROR);
VT_SAME_VALUE(lt::kNotSupported, CUBLAS_STATUS_NOT_SUPPORTED);
VT_SAME_VALUE(lt::kR32F, CUDA_R_32F);
VT_SAME_VALUE(lt::kR64F, CUDA_R_64F);
VT_SAME_VALUE(lt::kR16F, CUDA_R_16F);
VT_SAME_VALUE(lt::kR8I, CUDA_R_8I);
VT_SAME_VALUE(lt::kR32I, CUDA_R_32I);
VT_SAME_VALUE(lt::kR16BF, CUDA_R_16BF);
VT_SAME_VALUE(lt::kR8E4M3, CUDA_R_8F_E4M3);
VT_SAME_VALUE(lt::kR8E5M2, CUDA_R_8F_E5M2);
VT_SAME_VALUE(lt::kR4E2M1, CUDA_R_4F_E2M1);
VT_SAME_VALUE(lt::k32F, CUBLAS_COMPUTE_32F);
VT_SAME_VALUE(lt::k32FPedantic, CUBLAS_COMPUTE_32F_PEDANTIC);
VT_SAME_VALUE(lt::k64F, CUBLAS_COMPUTE_64F);
VT_SAME_VALUE(lt::k32I, CUBLAS_COMPUTE_32I);
VT_SAME_VALUE(lt::k32FFastTf32, CUBLAS_COMPUTE_32F_FAST_TF32);
VT_SAME_VALUE(lt::kTransposeA, CUBLASLT_MATMUL_DESC_TRANSA);
VT_SAME_VALUE(lt::kTransposeB, CUBLASLT_MATMUL_DESC_TRANSB);
VT_SAME_VALUE(lt::kAScalePointer, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
VT_SAME_VALUE(lt::kBScalePointer, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
VT_SAME_VALUE(lt::kAScaleMode, CUBLASLT_MATMUL_DESC_A_SCALE_MODE);
VT_SAME_VALUE(lt::kBScaleMode, CUBLASLT_MATMUL_DESC_B_SCALE_MODE);
VT_SAME_VALUE(lt::kMostWorkspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
VT_SAME_VALUE(lt::kReductions, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
VT_SAME_VALUE(lt::kAlgorithmId, CUBLASLT_ALGO_CONFIG_ID);
VT_SAME_VALUE(lt::kTile, CUBLASLT_ALGO_CONFIG_TILE_ID);
VT_SAME_VALUE(lt::kSplitK, CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
VT_SAME_VALUE(lt::kStages, CUBLASLT_ALGO_CONFIG_STAGES_ID);
VT_SAME_VALUE(lt::kTransposed, CUBLAS_OP_T);
VT_SAME_VALUE(lt::kScalePer16, CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3);
VT_SAME_VALUE(lt::kReduceInComputeType, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);

}  // namespace

TEST(CublasLtAbi, IsThatOfTheHeader) { SUCCEED() << "it would not have been compiled"; }
#else
TEST(CublasLtAbi, IsThatOfTheHeader) { GTEST_SKIP() << "there was no cublasLt.h"; }
#endif

namespace {

using Object = void*;

std::vector<std::string> functions() {
#define VT_NAME(returned, name, ...) #name,
  return {VT_CUBLASLT_FUNCTIONS(VT_NAME)};
#undef VT_NAME
}

lt::Functions taken(const gpu::Library& library) {
  lt::Functions out;
#define VT_TAKE(returned, name, ...) out.name = library.function<decltype(out.name)>(#name);
  VT_CUBLASLT_FUNCTIONS(VT_TAKE)
#undef VT_TAKE
  return out;
}

}  // namespace

TEST(CublasLtAbi, EveryFunctionIsInTheLibrary) {
  VT_OPEN_VENDOR(library, "libcublasLt.so.13", "libcublasLt.so.12");
  EXPECT_EQ(test::missing_in(*library, functions()), "");
}

/// Descriptions need no GPU: the library itself says whether it knows our types and attributes, and takes values of our sizes.
TEST(CublasLtAbi, TheLibraryTakesEveryDescriptionOfOurs) {
  VT_OPEN_VENDOR(library, "libcublasLt.so.13", "libcublasLt.so.12");
  auto f = taken(*library);
  constexpr struct {
    int compute, scale;
  } kKinds[] = {
      {lt::k32F, lt::kR32F}, {lt::k32FPedantic, lt::kR32F}, {lt::k32FFastTf32, lt::kR32F}, {lt::k64F, lt::kR64F}, {lt::k32I, lt::kR32I}};
  for (auto [compute, scale] : kKinds) {
    Object desc = nullptr;
    ASSERT_EQ(f.cublasLtMatmulDescCreate(&desc, compute, scale), lt::kSuccess) << compute;
    int word = lt::kTransposed;
    const void* pointer = &word;
    for (int attribute : {lt::kTransposeA, lt::kTransposeB, lt::kAScaleMode, lt::kBScaleMode}) {
      EXPECT_EQ(f.cublasLtMatmulDescSetAttribute(desc, attribute, &word, sizeof word), lt::kSuccess) << attribute;
      EXPECT_EQ(f.cublasLtMatmulDescSetAttribute(desc, attribute, &word, 1), lt::kInvalidValue) << attribute;
    }
    for (int attribute : {lt::kAScalePointer, lt::kBScalePointer})
      EXPECT_EQ(f.cublasLtMatmulDescSetAttribute(desc, attribute, &pointer, sizeof pointer), lt::kSuccess) << attribute;
    EXPECT_EQ(f.cublasLtMatmulDescDestroy(desc), lt::kSuccess);
  }
  for (int type : {lt::kR32F, lt::kR64F, lt::kR16F, lt::kR8I, lt::kR32I, lt::kR16BF, lt::kR8E4M3, lt::kR8E5M2, lt::kR4E2M1}) {
    Object layout = nullptr;
    ASSERT_EQ(f.cublasLtMatrixLayoutCreate(&layout, type, 128, 64, 128), lt::kSuccess) << type;
    EXPECT_EQ(f.cublasLtMatrixLayoutDestroy(layout), lt::kSuccess);
  }
  Object preference = nullptr;
  ASSERT_EQ(f.cublasLtMatmulPreferenceCreate(&preference), lt::kSuccess);
  std::size_t room = 1 << 20;
  EXPECT_EQ(f.cublasLtMatmulPreferenceSetAttribute(preference, lt::kMostWorkspace, &room, sizeof room), lt::kSuccess);
  EXPECT_EQ(f.cublasLtMatmulPreferenceSetAttribute(preference, lt::kReductions, &lt::kReduceInComputeType, sizeof lt::kReduceInComputeType),
            lt::kSuccess);
  EXPECT_EQ(f.cublasLtMatmulPreferenceDestroy(preference), lt::kSuccess);
  EXPECT_GE(f.cublasLtGetVersion(), 120000U);
}
