#include "remote-agent/checks/mixed_linear.hpp"

#include "kernels/gemm.hpp"

namespace vt::checks {

namespace {

using kernels::Format;

/// A matrix by columns, as BLAS has it, is its transpose by rows: so Yᵀ = W·Xᵀ is what is asked for.
gpu::Product product(std::uint64_t m, std::uint64_t n, std::uint64_t k, Format out) {
  gpu::Product made;
  made.in = Format::bf16, made.out = out, made.m = m, made.n = n, made.k = k, made.transpose_a = false;
  return made;
}

gpu::Grid grid(std::uint64_t m, std::uint64_t n) { return {kernels::tiles(m, kernels::kTile) * kernels::tiles(n, kernels::kTile)}; }

}  // namespace

/// The three products differ in what is transposed, so the key needs no types.
Status MixedLinear::by_library(const gpu::Product& p, const void* a, const void* b, void* c) {
  std::tuple key{p.m, p.n, p.k, p.transpose_a, p.transpose_b, p.add};
  auto at = plans_.find(key);
  if (at == plans_.end()) {
    VT_TRY(auto plan, library_->plan(p));
    if (tune_seconds_ > 0) VT_CHECK(plan.tune(a, b, c, tune_seconds_));
    at = plans_.emplace(key, std::move(plan)).first;
  }
  return at->second.run(a, b, c);
}

Status MixedLinear::forward(const Half* x, const Half* w, Half* y, Shape s) {
  if (library_) {
    auto p = product(s.out, s.rows, s.in, Format::bf16);
    p.transpose_a = true;
    return by_library(p, w, x, y);
  }
  return device_->launch(VT_NAMED(vt_gemm_bf16), grid(s.rows, s.out), {}, x, {s.in, 1}, w, {1, s.in}, y, {s.out, 1}, s.rows, s.out, s.in,
                         false);
}

Status MixedLinear::add_forward(const Half* x, const Half* w, float* y, Shape s) {
  if (library_) {
    auto p = product(s.out, s.rows, s.in, Format::fp32);
    p.transpose_a = true, p.add = true;
    return by_library(p, w, x, y);
  }
  return device_->launch(VT_NAMED(vt_gemm_bf16_f32), grid(s.rows, s.out), {}, x, {s.in, 1}, w, {1, s.in}, y, {s.out, 1}, s.rows, s.out,
                         s.in, true);
}

Status MixedLinear::input_gradient(const Half* dy, const Half* w, Half* dx, Shape s, bool add) {
  if (library_) {
    auto p = product(s.in, s.rows, s.out, Format::bf16);
    p.add = add;
    return by_library(p, w, dy, dx);
  }
  return device_->launch(VT_NAMED(vt_gemm_bf16), grid(s.rows, s.in), {}, dy, {s.out, 1}, w, {s.in, 1}, dx, {s.in, 1}, s.rows, s.in, s.out,
                         add);
}

Status MixedLinear::weight_gradient(const Half* dy, const Half* x, float* dw, Shape s) {
  if (library_) {
    auto p = product(s.in, s.out, s.rows, Format::fp32);
    p.transpose_b = true;
    return by_library(p, x, dy, dw);
  }
  return device_->launch(VT_NAMED(vt_gemm_bf16_f32), grid(s.out, s.in), {}, dy, {1, s.out}, x, {s.in, 1}, dw, {s.in, 1}, s.out, s.in,
                         s.rows, false);
}

}  // namespace vt::checks
