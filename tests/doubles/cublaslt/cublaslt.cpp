#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/formats.hpp"
#include "tests/contract/abi/alike.hpp"
#include "tests/doubles/cublaslt/rules.hpp"
#include "tests/doubles/host/host.hpp"

// The part of cuBLASLt that multiplies, on this processor and in the order of libcuda's streams. It knows one algorithm, which needs a
// workspace if it may have one. What it is given is read as cublasLt.h numbers it, so that an agent that mixes up two attributes gets
// another product, and it refuses what the real one refuses. Fault "wrong-product" {offset, bit, after}: a bit of the result flips.

namespace {

using vt::kernels::Format;
using vt::kernels::u64;

using namespace vt::doubles::cublaslt;

constexpr std::uint64_t kAlgorithm = 66;                  ///< its number
constexpr std::size_t kWorkspace = std::size_t{1} << 20;  ///< what it wants

struct Operand {
  const u64* data;
  Layout layout;
  bool transposed;
  const unsigned char* scales;
};
struct Product {
  Operand a, b;
  double alpha, beta;
  const u64* c;
  u64* d;
  Layout result;
};

Format format_of(int type) {
  switch (type) {
    case abi::kR64F: return Format::fp64;
    case abi::kR16F: return Format::fp16;
    case abi::kR8I: return Format::int8;
    case abi::kR32I: return Format::int32;
    case abi::kR16BF: return Format::bf16;
    case abi::kR8E4M3: return Format::e4m3;
    case abi::kR8E5M2: return Format::e5m2;
    case abi::kR4E2M1: return Format::nvfp4;
    default: return Format::fp32;
  }
}

/// Element (i, j) at [i * columns + j], i and j after transposition.
std::vector<double> read(const Operand& o, u64 rows, u64 columns) {
  auto format = format_of(o.layout.type);
  std::vector<double> out(rows * columns);
  for (u64 i = 0; i < rows; ++i)
    for (u64 j = 0; j < columns; ++j) {
      auto row = o.transposed ? j : i, column = o.transposed ? i : j;
      auto x = vt::kernels::value_at(o.data, format, row + column * static_cast<u64>(o.layout.leading));
      if (o.scales) x *= vt::kernels::E4m3::decode(o.scales[vt::kernels::scale_index(column, row / 16, o.layout.rows / 16)]);
      out[i * columns + j] = x;
    }
  return out;
}

void put(u64* words, Format format, u64 i, double x) {
  auto bits = vt::kernels::bits_per(format);
  auto code = vt::kernels::encode(format, x);
  std::memcpy(reinterpret_cast<char*>(words) + i * bits / 8, &code, bits / 8);
}

void multiply(const Product& p) {
  auto m = p.result.rows, n = p.result.columns, k = p.a.transposed ? p.a.layout.rows : p.a.layout.columns;
  auto a = read(p.a, m, k), b = read(p.b, k, n);
  auto format = format_of(p.result.type);
  std::vector<double> row(n);
  for (u64 i = 0; i < m; ++i) {
    row.assign(n, 0);
    for (u64 e = 0; e < k; ++e)
      for (u64 j = 0; j < n; ++j) row[j] += a[i * k + e] * b[e * n + j];
    for (u64 j = 0; j < n; ++j) {
      auto at = i + j * m;
      put(p.d, format, at, p.alpha * row[j] + (p.beta != 0 ? p.beta * vt::kernels::value_at(p.c, format, at) : 0));
    }
  }
  if (auto* wrong = vt::doubles::strikes("wrong-product", [](auto&) { return true; }))
    reinterpret_cast<unsigned char*>(p.d)[wrong->offset] ^= static_cast<unsigned char>(1U << (wrong->bit & 7));
}

template <class Function>
Function driver_function(const char* name) {
  auto* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
}

/// The device of the current context; nullptr: there is none.
const vt::doubles::Gpu* current_gpu() {
  auto* ask = driver_function<int (*)(int*)>("cuCtxGetDevice");
  int device = -1;
  if (!ask || ask(&device) != 0) return nullptr;
  return &vt::doubles::host().gpus[static_cast<std::size_t>(device)];
}

int enqueue(Product product, void* stream) {
  auto* launch = driver_function<int (*)(void*, void (*)(void*), void*)>("cuLaunchHostFunc");
  if (!launch) return abi::kNotInitialised;
  auto run = [](void* argument) { multiply(*std::unique_ptr<Product>(static_cast<Product*>(argument))); };
  auto mine = std::make_unique<Product>(std::move(product));
  return launch(stream, run, mine.release()) == 0 ? abi::kSuccess : abi::kExecutionFailed;
}

bool begins_at(const void* at, std::size_t bytes) { return at && reinterpret_cast<std::uintptr_t>(at) % bytes == 0; }

/// Keeps a value that must have the size of its place.
template <class T>
int store(T& place, const void* value, std::size_t bytes) {
  if (!value || bytes != sizeof place) return abi::kInvalidValue;
  std::memcpy(&place, value, bytes);
  return abi::kSuccess;
}

double number(int type, const void* at) {
  if (type == abi::kR32I) return *static_cast<const std::int32_t*>(at);
  return type == abi::kR64F ? *static_cast<const double*>(at) : *static_cast<const float*>(at);
}

const Layout& layout(const void* at) { return *static_cast<const Layout*>(at); }

template <class T>
int make(void** out, T object) {
  *out = new T(object);
  return abi::kSuccess;
}
template <class T>
int end(void* object) {
  delete static_cast<T*>(object);
  return abi::kSuccess;
}

}  // namespace

extern "C" {

std::size_t cublasLtGetVersion() { return 130002; }
int cublasLtCreate(void** out) { return current_gpu() ? make(out, 0) : abi::kNotInitialised; }
int cublasLtDestroy(void* handle) { return end<int>(handle); }

int cublasLtMatmulDescCreate(void** out, int compute, int scale) {
  return is_kind(compute, scale) ? make(out, Desc{compute, scale}) : abi::kInvalidValue;
}
int cublasLtMatmulDescDestroy(void* desc) { return end<Desc>(desc); }
int cublasLtMatmulDescSetAttribute(void* desc, int attribute, const void* value, std::size_t bytes) {
  auto& d = *static_cast<Desc*>(desc);
  switch (attribute) {
    case abi::kTransposeA: return store(d.transpose_a, value, bytes);
    case abi::kTransposeB: return store(d.transpose_b, value, bytes);
    case abi::kAScalePointer: return store(d.a_scales, value, bytes);
    case abi::kBScalePointer: return store(d.b_scales, value, bytes);
    case abi::kAScaleMode: return store(d.a_mode, value, bytes);
    case abi::kBScaleMode: return store(d.b_mode, value, bytes);
    default: return abi::kInvalidValue;
  }
}

int cublasLtMatrixLayoutCreate(void** out, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  if (bits_of(type) == 0 || rows == 0 || columns == 0 || leading < static_cast<std::int64_t>(rows)) return abi::kInvalidValue;
  return make(out, Layout{type, rows, columns, leading});
}
int cublasLtMatrixLayoutDestroy(void* object) { return end<Layout>(object); }

int cublasLtMatmulPreferenceCreate(void** out) { return make(out, Preference{}); }
int cublasLtMatmulPreferenceDestroy(void* preference) { return end<Preference>(preference); }
int cublasLtMatmulPreferenceSetAttribute(void* preference, int attribute, const void* value, std::size_t bytes) {
  auto& p = *static_cast<Preference*>(preference);
  if (attribute == abi::kMostWorkspace) return store(p.workspace, value, bytes);
  return attribute == abi::kReductions ? store(p.reductions, value, bytes) : abi::kInvalidValue;
}

// NOLINTNEXTLINE(readability-function-size): as many parameters as the real one has
int cublasLtMatmulAlgoGetHeuristic(void* library, void* desc, void* a, void* b, void* c, void* d, void* preference, int wanted,
                                   abi::Proposal* results, int* count) {
  for (auto* given : {library, desc, a, b, c, d, preference})
    if (!given) return abi::kInvalidValue;
  auto* gpu = current_gpu();
  if (!gpu || !results || !count || wanted < 1) return abi::kInvalidValue;
  *count = 0;
  if (auto refused = refusal({*static_cast<Desc*>(desc), layout(a), layout(b), layout(c), layout(d)}, gpu->sm)) return refused;
  *results = {};
  results->algorithm.data[0] = kAlgorithm;
  results->workspace = std::min(kWorkspace, static_cast<Preference*>(preference)->workspace);
  results->algorithm.data[1] = results->workspace;
  *count = 1;
  return abi::kSuccess;
}
int cublasLtMatmulAlgoConfigGetAttribute(const abi::Algorithm* algorithm, int attribute, void* value, std::size_t bytes,
                                         std::size_t* written) {
  auto number = attribute == abi::kAlgorithmId ? static_cast<int>(algorithm->data[0]) : attribute;
  if (bytes != sizeof number) return abi::kInvalidValue;
  std::memcpy(value, &number, bytes);
  *written = bytes;
  return abi::kSuccess;
}

// NOLINTNEXTLINE(readability-function-size): as many parameters as the real one has
int cublasLtMatmul(void* library, void* desc, const void* alpha, const void* a, void* a_layout, const void* b, void* b_layout,
                   const void* beta, const void* c, void* c_layout, void* d, void* d_layout, const abi::Algorithm* algorithm,
                   void* workspace, std::size_t workspace_bytes, void* stream) {
  if (!library || !alpha || !beta || !algorithm || algorithm->data[0] != kAlgorithm) return abi::kInvalidValue;
  for (auto* data : {a, b, c, static_cast<const void*>(d)})
    if (!begins_at(data, abi::kAlignment)) return abi::kInvalidValue;  // else another algorithm would have had to be asked for
  auto wants = algorithm->data[1];
  if (wants > workspace_bytes || (wants != 0 && !begins_at(workspace, abi::kAlignment))) return abi::kInvalidValue;
  auto& how = *static_cast<Desc*>(desc);
  auto* gpu = current_gpu();
  if (!gpu) return abi::kNotInitialised;
  if (auto refused = refusal({how, layout(a_layout), layout(b_layout), layout(c_layout), layout(d_layout)}, gpu->sm)) return refused;
  auto operand = [](const void* data, const void* kept, int transpose, const void* scales) {
    return Operand{static_cast<const u64*>(data), layout(kept), transpose == abi::kTransposed, static_cast<const unsigned char*>(scales)};
  };
  return enqueue({operand(a, a_layout, how.transpose_a, how.a_scales), operand(b, b_layout, how.transpose_b, how.b_scales),
                  number(how.scale, alpha), number(how.scale, beta), static_cast<const u64*>(c), static_cast<u64*>(d), layout(d_layout)},
                 stream);
}

}  // extern "C"

// As the agent declares them, which is held against cublasLt.h in tests/contract/abi.
#define VT_SAME(returned, name, ...) static_assert(vt::test::kSameCall<decltype(abi::Functions::name), decltype(&::name)>, #name);
VT_CUBLASLT_FUNCTIONS(VT_SAME)
#undef VT_SAME
