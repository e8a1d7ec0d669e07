#include "tests/doubles/cublaslt/rules.hpp"

namespace vt::doubles::cublaslt {

namespace {

bool is_fp8(int type) { return type == abi::kR8E4M3 || type == abi::kR8E5M2; }
bool is_fp4(int type) { return type == abi::kR4E2M1; }
bool is_half(int type) { return type == abi::kR16F || type == abi::kR16BF; }
/// What tensor cores take only if A is kept by rows, and B by columns.
bool is_narrow(int type) { return is_fp8(type) || is_fp4(type) || type == abi::kR8I; }

int least_sm(const Problem& p) {
  if (is_fp4(p.a.type)) return 100;
  if (is_fp8(p.a.type)) return 89;
  if (p.a.type == abi::kR16BF || p.how.compute == abi::k32FFastTf32) return 80;
  return p.a.type == abi::kR8I ? 72 : 0;
}

bool contradicts_itself(const Problem& p) {
  auto rows = [](const Layout& l, int transposed) { return transposed ? l.columns : l.rows; };
  auto columns = [](const Layout& l, int transposed) { return transposed ? l.rows : l.columns; };
  auto m = rows(p.a, p.how.transpose_a), n = columns(p.b, p.how.transpose_b), k = columns(p.a, p.how.transpose_a);
  bool shapes = rows(p.b, p.how.transpose_b) == k && p.c.rows == m && p.c.columns == n && p.d.rows == m && p.d.columns == n;
  bool scaled = p.how.a_scales || p.how.b_scales;
  return !shapes || (scaled && !is_fp8(p.a.type) && !is_fp4(p.a.type));
}

/// The tables of types, as far as C and D are of one.
bool has_types(const Problem& p) {
  int a = p.a.type, b = p.b.type, out = p.d.type;
  if (p.c.type != out) return false;
  bool to_wide = out == abi::kR32F, to_half = is_half(out);
  switch (p.how.compute) {
    case abi::k64F: return a == abi::kR64F && b == a && out == a;
    case abi::k32I: return a == abi::kR8I && b == a && out == abi::kR32I;
    case abi::k32FFastTf32: return a == abi::kR32F && b == a && to_wide;
    default: break;
  }
  if (a == abi::kR32F) return b == a && to_wide;
  if (is_half(a)) return b == a && (out == a || to_wide);
  if (p.how.compute != abi::k32F) return false;
  if (is_fp8(a)) return is_fp8(b) && !(a == abi::kR8E5M2 && b == a) && (to_wide || to_half);
  return is_fp4(a) && b == a && (to_wide || to_half);
}

/// Rows of columns begin at 16 bytes, those of int8 at 4.
bool is_aligned(const Problem& p) {
  auto fits = [&](const Layout& l) {
    auto bits = static_cast<std::uint64_t>(l.leading) * static_cast<std::uint64_t>(bits_of(l.type));
    return bits % (p.a.type == abi::kR8I ? 32 : 128) == 0;
  };
  return fits(p.a) && fits(p.b) && fits(p.c) && fits(p.d);
}

/// NVFP4 has a scale for every 16 elements on both sides, and nothing else has.
bool has_scales(const Problem& p) {
  if (!is_fp4(p.a.type)) return p.how.a_mode == 0 && p.how.b_mode == 0;
  auto there = [](int mode, const void* scales) {
    return mode == abi::kScalePer16 && scales && reinterpret_cast<std::uintptr_t>(scales) % 16 == 0;
  };
  return there(p.how.a_mode, p.how.a_scales) && there(p.how.b_mode, p.how.b_scales);
}

}  // namespace

int bits_of(int type) {
  switch (type) {
    case abi::kR64F: return 64;
    case abi::kR32F:
    case abi::kR32I: return 32;
    case abi::kR16F:
    case abi::kR16BF: return 16;
    case abi::kR8I:
    case abi::kR8E4M3:
    case abi::kR8E5M2: return 8;
    case abi::kR4E2M1: return 4;
    default: return 0;
  }
}

bool is_kind(int compute, int scale) {
  switch (compute) {
    case abi::k64F: return scale == abi::kR64F;
    case abi::k32I: return scale == abi::kR32I;
    case abi::k32F:
    case abi::k32FPedantic:
    case abi::k32FFastTf32: return scale == abi::kR32F;
    default: return false;
  }
}

int refusal(const Problem& p, int sm) {
  if (contradicts_itself(p)) return abi::kInvalidValue;
  if (!has_types(p) || !has_scales(p) || sm < least_sm(p)) return abi::kNotSupported;
  if (!is_narrow(p.a.type)) return abi::kSuccess;
  bool in_order = p.how.transpose_a == abi::kTransposed && p.how.transpose_b == 0;
  return in_order && is_aligned(p) ? abi::kSuccess : abi::kNotSupported;
}

}  // namespace vt::doubles::cublaslt
