#include "remote-agent/checks/mixed_linear.hpp"

namespace vt::checks {

namespace {

using kernels::Format;

/// A matrix by columns, as BLAS has it, is its transpose by rows: so Yᵀ = W·Xᵀ is what is asked for.
gpu::Product product(std::uint64_t m, std::uint64_t n, std::uint64_t k, Format out) {
  gpu::Product made;
  made.in = Format::bf16, made.out = out, made.m = m, made.n = n, made.k = k, made.transpose_a = false;
  return made;
}

}  // namespace

Status MixedLinear::forward(const Half* x, const Half* w, Half* y, Shape s) {
  if (library_) {
    auto p = product(s.out, s.rows, s.in, Format::bf16);
    p.transpose_a = true;
    return plans_.run(*library_, p, w, x, y, tune_seconds_);
  }
  return device_->launch(VT_NAMED(vt_gemm_bf16), product_grid(s.rows, s.out), {}, x, {s.in, 1}, w, {1, s.in}, y, {s.out, 1}, s.rows, s.out,
                         s.in, false);
}

Status MixedLinear::add_forward(const Half* x, const Half* w, float* y, Shape s) {
  if (library_) {
    auto p = product(s.out, s.rows, s.in, Format::fp32);
    p.transpose_a = true, p.add = true;
    return plans_.run(*library_, p, w, x, y, tune_seconds_);
  }
  return device_->launch(VT_NAMED(vt_gemm_bf16_f32), product_grid(s.rows, s.out), {}, x, {s.in, 1}, w, {1, s.in}, y, {s.out, 1}, s.rows,
                         s.out, s.in, true);
}

Status MixedLinear::input_gradient(const Half* dy, const Half* w, Half* dx, Shape s, bool add) {
  if (library_) {
    auto p = product(s.in, s.rows, s.out, Format::bf16);
    p.add = add;
    return plans_.run(*library_, p, w, dy, dx, tune_seconds_);
  }
  return device_->launch(VT_NAMED(vt_gemm_bf16), product_grid(s.rows, s.in), {}, dy, {s.out, 1}, w, {s.in, 1}, dx, {s.in, 1}, s.rows, s.in,
                         s.out, add);
}

Status MixedLinear::weight_gradient(const Half* dy, const Half* x, float* dw, Shape s) {
  if (library_) {
    auto p = product(s.in, s.out, s.rows, Format::fp32);
    p.transpose_b = true;
    return plans_.run(*library_, p, x, dy, dw, tune_seconds_);
  }
  return device_->launch(VT_NAMED(vt_gemm_bf16_f32), product_grid(s.out, s.in), {}, dy, {1, s.out}, x, {s.in, 1}, dw, {s.in, 1}, s.out,
                         s.in, s.rows, false);
}

}  // namespace vt::checks
