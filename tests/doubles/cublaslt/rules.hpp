#pragma once
#include <cstdint>

#include "remote-agent/gpu/cublaslt_abi.hpp"

namespace vt::doubles::cublaslt {

namespace abi = vt::gpu::cublaslt;

struct Layout {
  int type;
  std::uint64_t rows, columns;
  std::int64_t leading;
};
struct Desc {
  int compute, scale, transpose_a = 0, transpose_b = 0, a_mode = 0, b_mode = 0;
  const void *a_scales = nullptr, *b_scales = nullptr;
};
struct Preference {
  std::size_t workspace = 0;  ///< none, unless it is allowed
  std::uint32_t reductions = 7;
};
/// A product as it is described, without its data.
struct Problem {
  const Desc& how;
  const Layout &a, &b, &c, &d;
};

/// Bits of an element; 0: no type that it has.
int bits_of(int type);
/// Whether sums of this kind can be scaled by numbers of that type.
bool is_kind(int compute, int scale);

/// What the real library says before it looks for an algorithm (cuBLAS documentation, cublasLtMatmul: the tables of supported types, and
/// what 8- and 4-bit types ask for): kInvalidValue for what contradicts itself, kNotSupported for what it or a device of `sm` cannot do.
int refusal(const Problem&, int sm);

}  // namespace vt::doubles::cublaslt
