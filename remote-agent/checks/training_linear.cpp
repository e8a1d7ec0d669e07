#include "remote-agent/checks/training_linear.hpp"

namespace vt::checks {

namespace {

/// A matrix by columns, as BLAS has it, is its transpose by rows: so Yᵀ = W·Xᵀ is what is asked for.
gpu::Product product(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  gpu::Product out;
  out.m = m, out.n = n, out.k = k, out.transpose_a = false;
  return out;
}

}  // namespace

Status Linear::forward(const float* x, const float* w, float* y, Shape s, bool add) {
  if (library_) {
    auto p = product(s.out, s.rows, s.in);
    p.transpose_a = true, p.add = add;
    return plans_.run(*library_, p, w, x, y);
  }
  return device_->launch(VT_NAMED(vt_gemm_f32), product_grid(s.rows, s.out), {}, x, {s.in, 1}, w, {1, s.in}, y, {s.out, 1}, s.rows, s.out,
                         s.in, add);
}

Status Linear::input_gradient(const float* dy, const float* w, float* dx, Shape s) {
  if (library_) return plans_.run(*library_, product(s.in, s.rows, s.out), w, dy, dx);
  return device_->launch(VT_NAMED(vt_gemm_f32), product_grid(s.rows, s.in), {}, dy, {s.out, 1}, w, {s.in, 1}, dx, {s.in, 1}, s.rows, s.in,
                         s.out, false);
}

Status Linear::weight_gradient(const float* dy, const float* x, float* dw, Shape s) {
  if (library_) {
    auto p = product(s.in, s.out, s.rows);
    p.transpose_b = true;
    return plans_.run(*library_, p, x, dy, dw);
  }
  return device_->launch(VT_NAMED(vt_gemm_f32), product_grid(s.out, s.in), {}, dy, {1, s.out}, x, {s.in, 1}, dw, {s.in, 1}, s.out, s.in,
                         s.rows, false);
}

}  // namespace vt::checks
