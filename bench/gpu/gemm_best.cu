// The best that cuBLASLt has for a product: every algorithm it proposes, timed. `gemm_best TYPE SIZE` prints TFLOP/s.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <curand.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kProposals = 200, kRuns = 20;
constexpr size_t kWorkspace = size_t{64} << 20;

void must(bool done, const char* what) {
  if (done) return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}

struct Kind {
  const char* name;
  cudaDataType type, out;
  cublasComputeType_t compute;
  size_t bytes;
};
const Kind kKinds[] = {
    {"fp64", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 8},           {"fp32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC, 4},
    {"tf32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 4}, {"bf16", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 2},
    {"fp16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 2},           {"fp8", CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 1}};

template <class T>
__device__ void put(void* out, size_t i, float x) {
  static_cast<T*>(out)[i] = static_cast<T>(x);
}

__global__ void convert(const float* in, void* out, cudaDataType type, size_t n) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) {
    if (type == CUDA_R_64F) put<double>(out, i, in[i]);
    else if (type == CUDA_R_32F) put<float>(out, i, in[i]);
    else if (type == CUDA_R_16BF) put<__nv_bfloat16>(out, i, in[i]);
    else if (type == CUDA_R_16F) put<__half>(out, i, in[i]);
    else put<__nv_fp8_e4m3>(out, i, in[i]);
  }
}

void* operand(curandGenerator_t random, const Kind& kind, size_t n) {
  float* drawn;
  void* out;
  must(!cudaMalloc(&drawn, n * 4) && !cudaMalloc(&out, n * kind.bytes), "cudaMalloc");
  must(!curandGenerateNormal(random, drawn, n, 0, 1), "curandGenerateNormal");
  convert<<<1024, 256>>>(drawn, out, kind.type, n);
  must(!cudaDeviceSynchronize(), "filling");
  cudaFree(drawn);
  return out;
}

}  // namespace

int main(int count, char** words) {
  must(count == 3, "usage: gemm_best TYPE SIZE, which");
  auto kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](auto& k) { return !std::strcmp(k.name, words[1]); });
  must(kind != std::end(kKinds), "finding that type");
  auto n = static_cast<uint64_t>(std::atoll(words[2]));
  curandGenerator_t random;
  must(!curandCreateGenerator(&random, CURAND_RNG_PSEUDO_DEFAULT), "curandCreateGenerator");
  void *a = operand(random, *kind, n * n), *b = operand(random, *kind, n * n), *c, *workspace;
  must(!cudaMalloc(&c, n * n * 8) && !cudaMalloc(&workspace, kWorkspace), "cudaMalloc");
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t desc;
  cublasLtMatrixLayout_t in, out;
  cublasLtMatmulPreference_t preference;
  bool wide = kind->type == CUDA_R_64F;
  cublasOperation_t transposed = CUBLAS_OP_T;
  must(!cublasLtCreate(&handle) && !cublasLtMatmulDescCreate(&desc, kind->compute, wide ? CUDA_R_64F : CUDA_R_32F) &&
           !cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed) &&
           !cublasLtMatrixLayoutCreate(&in, kind->type, n, n, static_cast<int64_t>(n)) &&
           !cublasLtMatrixLayoutCreate(&out, kind->out, n, n, static_cast<int64_t>(n)) && !cublasLtMatmulPreferenceCreate(&preference) &&
           !cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace, sizeof kWorkspace),
       "describing the product");
  std::vector<cublasLtMatmulHeuristicResult_t> proposals(kProposals);
  int found = 0;
  must(!cublasLtMatmulAlgoGetHeuristic(handle, desc, in, in, out, out, preference, kProposals, proposals.data(), &found), "asking");
  const double wide_scalars[] = {1, 0};
  const float scalars[] = {1, 0};
  const void *alpha = wide ? static_cast<const void*>(wide_scalars) : scalars,
             *beta = wide ? static_cast<const void*>(wide_scalars + 1) : scalars + 1;
  cudaEvent_t from, to;
  must(!cudaEventCreate(&from) && !cudaEventCreate(&to), "cudaEventCreate");
  float best = 1e30F;
  for (int i = 0; i < found; ++i) {
    auto run = [&] {
      return cublasLtMatmul(handle, desc, alpha, a, in, b, in, beta, c, out, c, out, &proposals[i].algo, workspace, kWorkspace, nullptr);
    };
    if (run()) continue;
    cudaEventRecord(from);
    for (int r = 0; r < kRuns; ++r) run();
    cudaEventRecord(to);
    must(!cudaEventSynchronize(to), "a product");
    float ms = 0;
    cudaEventElapsedTime(&ms, from, to);
    best = std::min(best, ms / kRuns);
  }
  auto size = static_cast<double>(n);
  std::printf("%.3f\n", 2 * size * size * size / (best / 1e3) / 1e12);
}
