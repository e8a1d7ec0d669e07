#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/formats.hpp"
#include "tests/doubles/host/host.hpp"

// The part of cuBLASLt that multiplies, on this processor and in the order of libcuda's streams. It knows one algorithm. What it is given
// is read as cublasLt.h numbers it, so that an agent that mixes up two attributes gets another product. Fault "wrong-product" {offset,
// bit, after}: a bit of the result flips.

namespace {

using vt::kernels::Format;
using vt::kernels::u64;

constexpr int kDone = 0, kInvalidValue = 7, kNotSupported = 15;

struct Layout {
  int type;
  u64 rows, columns;
  std::int64_t leading;
};
struct Desc {
  int compute, scale, transpose_a = 0, transpose_b = 0, a_mode = 0, b_mode = 0;
  const void *a_scales = nullptr, *b_scales = nullptr;
};
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
    case 1: return Format::fp64;
    case 2: return Format::fp16;
    case 3: return Format::int8;
    case 10: return Format::int32;
    case 14: return Format::bf16;
    case 28: return Format::e4m3;
    case 33: return Format::nvfp4;
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

int enqueue(Product product, void* stream) {
  using HostFunction = int (*)(void*, void (*)(void*), void*);
  auto* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  auto* launch = library ? reinterpret_cast<HostFunction>(dlsym(library, "cuLaunchHostFunc")) : nullptr;
  if (!launch) return 1;
  auto run = [](void* argument) { multiply(*std::unique_ptr<Product>(static_cast<Product*>(argument))); };
  auto mine = std::make_unique<Product>(std::move(product));
  return launch(stream, run, mine.release()) == 0 ? kDone : 13;
}

template <class T>
int make(void** out, T object) {
  *out = new T(object);
  return kDone;
}
template <class T>
int end(void* object) {
  delete static_cast<T*>(object);
  return kDone;
}

}  // namespace

extern "C" {

std::size_t cublasLtGetVersion() { return 130002; }
int cublasLtCreate(void** out) { return make(out, 0); }
int cublasLtDestroy(void* handle) { return end<int>(handle); }

int cublasLtMatmulDescCreate(void** out, int compute, int scale) { return make(out, Desc{compute, scale}); }
int cublasLtMatmulDescDestroy(void* desc) { return end<Desc>(desc); }
int cublasLtMatmulDescSetAttribute(void* desc, int attribute, const void* value, std::size_t bytes) {
  auto& d = *static_cast<Desc*>(desc);
  auto store = [&](auto& member) {
    if (bytes != sizeof member) return kInvalidValue;
    std::memcpy(&member, value, bytes);
    return kDone;
  };
  switch (attribute) {
    case 3: return store(d.transpose_a);
    case 4: return store(d.transpose_b);
    case 17: return store(d.a_scales);
    case 18: return store(d.b_scales);
    case 31: return store(d.a_mode);
    case 32: return store(d.b_mode);
    default: return kInvalidValue;
  }
}

int cublasLtMatrixLayoutCreate(void** out, int type, u64 rows, u64 columns, std::int64_t leading) {
  return make(out, Layout{type, rows, columns, leading});
}
int cublasLtMatrixLayoutDestroy(void* layout) { return end<Layout>(layout); }

int cublasLtMatmulPreferenceCreate(void** out) { return make(out, 0); }
int cublasLtMatmulPreferenceDestroy(void* preference) { return end<int>(preference); }
int cublasLtMatmulPreferenceSetAttribute(void*, int attribute, const void*, std::size_t bytes) {
  bool workspace = attribute == 1 && bytes == sizeof(std::size_t), reductions = attribute == 3 && bytes == sizeof(std::uint32_t);
  return workspace || reductions ? kDone : kInvalidValue;
}

/// As on a GPU: products of few bits want A by rows and B by columns, those of int8 whole numbers throughout and sizes of whole words.
int cublasLtMatmulAlgoGetHeuristic(void*, void* desc, void* a, void*, void*, void*, void*, int wanted, void* results, int* count) {
  auto& d = *static_cast<Desc*>(desc);
  auto& of_a = *static_cast<Layout*>(a);
  bool whole = of_a.type == 3, few_bits = whole || of_a.type >= 28, scaled = of_a.type == 33;
  if (few_bits && (d.transpose_a != 1 || d.transpose_b != 0)) return kNotSupported;
  if (scaled && (d.a_mode != 1 || d.b_mode != 1 || !d.a_scales || !d.b_scales)) return kNotSupported;
  bool fits = d.compute == 72 && d.scale == 10 && of_a.rows % 4 == 0 && of_a.columns % 4 == 0;
  if (whole != (d.compute == 72) || (whole && !fits)) return kNotSupported;
  if (wanted < 1) return kInvalidValue;
  std::memset(results, 0, 96);
  *count = 1;
  return kDone;
}
int cublasLtMatmulAlgoConfigGetAttribute(const void*, int attribute, void* value, std::size_t bytes, std::size_t* written) {
  std::memcpy(value, &attribute, bytes);
  *written = bytes;
  return kDone;
}

int cublasLtMatmul(void*, void* desc, const void* alpha, const void* a, void* a_layout, const void* b, void* b_layout, const void* beta,
                   const void* c, void*, void* d, void* d_layout, const void*, void*, std::size_t, void* stream) {
  auto& how = *static_cast<Desc*>(desc);
  auto scalar = [&](const void* at) -> double {
    if (how.scale == 10) return *static_cast<const std::int32_t*>(at);
    return how.scale == 1 ? *static_cast<const double*>(at) : *static_cast<const float*>(at);
  };
  auto operand = [](const void* data, const void* layout, int transpose, const void* scales) {
    return Operand{static_cast<const u64*>(data), *static_cast<const Layout*>(layout), transpose == 1,
                   static_cast<const unsigned char*>(scales)};
  };
  return enqueue({operand(a, a_layout, how.transpose_a, how.a_scales), operand(b, b_layout, how.transpose_b, how.b_scales), scalar(alpha),
                  scalar(beta), static_cast<const u64*>(c), static_cast<u64*>(d), *static_cast<Layout*>(d_layout)},
                 stream);
}
}
