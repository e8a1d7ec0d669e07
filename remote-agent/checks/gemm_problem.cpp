#include "remote-agent/checks/gemm_problem.hpp"

#include <algorithm>
#include <cmath>

#include "remote-agent/checks/product_plans.hpp"

namespace vt::checks {

using kernels::Bound;
using kernels::Format;

namespace {

/// Rounding unit of a sum (u_acc in kernels/gemm.hpp): of our own kernel, or of the units that cuBLASLt uses.
double sum_unit(Format in, bool library) {
  if (in == Format::fp64) return 0x1p-53;
  if (!library || in == Format::fp32) return 0x1p-24;
  return in == Format::tf32 || in == Format::bf16 || in == Format::fp16 ? 0x1p-22 : 0x1p-14;
}

double output_unit(Format out) {
  switch (out) {
    case Format::fp64: return 0x1p-53;
    case Format::bf16: return 0x1p-8;
    case Format::fp16: return 0x1p-11;
    default: return 0x1p-24;
  }
}

std::size_t bytes_of(Format f, std::uint64_t elements) { return elements * kernels::bits_per(f) / 8; }

/// Scales lie in whole tiles of 128 rows.
std::size_t scale_bytes(std::uint64_t rows, std::uint64_t k) { return (rows + 127) / 128 * 128 * k / kernels::kScaled; }

}  // namespace

Format result_format(Format in) {
  switch (in) {
    case Format::fp64: return Format::fp64;
    case Format::fp32:
    case Format::tf32: return Format::fp32;
    case Format::fp16: return Format::fp16;
    case Format::int8: return Format::int32;
    default: return Format::bf16;
  }
}

int least_sm(Format format) {
  switch (format) {
    case Format::fp64:
    case Format::fp32: return 0;
    case Format::fp16: return 70;
    case Format::int8: return 75;
    case Format::tf32:
    case Format::bf16: return 80;
    case Format::nvfp4: return 100;
    default: return 89;
  }
}

bool has(const gpu::DeviceInfo& device, Format format) { return device.is_cpu() || device.sm >= least_sm(format); }

Result<GemmProblem::Size> fitting_size(gpu::Device& device, double wanted, double on_cpu) {
  constexpr double kBytes = 40;  // of all matrices for each element of one: fp64 with a reference and room for a copy
  VT_TRY(auto free, device.free_memory());
  auto most = std::sqrt(static_cast<double>(free) * 0.9 / kBytes);
  auto size = static_cast<std::uint64_t>(std::clamp(device.info().is_cpu() ? on_cpu : wanted, 64.0, std::max(64.0, most))) / 64 * 64;
  return GemmProblem::Size{size, size, size};
}

GemmProblem::GemmProblem(gpu::Device& device, Format in, Size size) : device_(&device) {
  product_.in = in, product_.out = result_format(in);
  product_.m = size.m, product_.n = size.n, product_.k = size.k;
}

Result<GemmProblem> GemmProblem::make(gpu::Device& device, Format in, Size size, gpu::CublasLt* library) {
  GemmProblem out(device, in, size);
  VT_CHECK(out.allocate());
  if (library) {
    VT_TRY(auto plan, library->plan(out.product_));
    out.plan_.emplace(std::move(plan));
  } else if (out.product_.out != Format::fp32 && in != Format::fp64) {
    VT_TRY(out.wide_c_, device.allocate(size.m * size.n * sizeof(float)));
  }
  return out;
}

Status GemmProblem::allocate() {
  auto& p = product_;
  VT_TRY(a_, device_->allocate(bytes_of(p.in, p.m * p.k)));
  VT_TRY(b_, device_->allocate(bytes_of(p.in, p.n * p.k)));
  VT_TRY(c_, device_->allocate(bytes_of(p.out, p.m * p.n)));
  if (kernels::bits_per(p.in) < 32) {
    VT_TRY(wide_a_, device_->allocate(p.m * p.k * sizeof(float)));
    VT_TRY(wide_b_, device_->allocate(p.n * p.k * sizeof(float)));
  }
  if (p.in == Format::nvfp4) {
    VT_TRY(a_scales_, device_->allocate(scale_bytes(p.m, p.k)));
    VT_TRY(b_scales_, device_->allocate(scale_bytes(p.n, p.k)));
    VT_CHECK(device_->set(a_scales_.as<void>(), 0, a_scales_.bytes()));
    VT_CHECK(device_->set(b_scales_.as<void>(), 0, b_scales_.bytes()));
    p.a_scales = a_scales_.as<void>(), p.b_scales = b_scales_.as<void>();
  }
  return device_->set(c_.as<void>(), 0, c_.bytes());
}

Status GemmProblem::fill(const gpu::Buffer& to, const gpu::Buffer& scales, const gpu::Buffer& wide, std::uint64_t rows,
                         std::uint64_t seed) {
  auto k = product_.k;
  auto* at = to.as<kernels::u64>();
  auto* scale = scales.as<kernels::u8>();
  VT_CHECK(device_->launch(VT_NAMED(vt_draw_matrix), {rows * k / kernels::kScaled}, {}, at, scale, product_.in, drawn_, rows, k, seed));
  if (!wide) return {};
  return device_->launch(VT_NAMED(vt_decode_matrix), {rows * k}, {}, at, scale, product_.in, rows, k, wide.as<float>());
}

Status GemmProblem::draw(kernels::Draw draw, std::uint64_t seed) {
  drawn_ = draw, seed_ = seed;
  VT_CHECK(fill(a_, a_scales_, wide_a_, product_.m, a_seed()));
  return fill(b_, b_scales_, wide_b_, product_.n, b_seed());
}

Status GemmProblem::tune(double seconds) { return plan_ ? plan_->tune(a_.as<void>(), b_.as<void>(), c_.as<void>(), seconds) : Status{}; }

Status GemmProblem::run() { return plan_ ? plan_->run(a_.as<void>(), b_.as<void>(), c_.as<void>()) : run_own(); }

Status GemmProblem::run_own() {
  auto [m, n, k] = size();
  const kernels::Strides by_rows{k, 1}, by_columns{1, k}, result{1, m};
  auto grid = product_grid(m, n);
  if (in() == Format::fp64)
    return device_->launch(VT_NAMED(vt_gemm_f64), grid, {}, a_.as<double>(), by_rows, b_.as<double>(), by_columns, c_.as<double>(), result,
                           m, n, k, false);
  auto* to = wide_c_ ? wide_c_.as<float>() : c_.as<float>();
  VT_CHECK(device_->launch(VT_NAMED(vt_gemm_f32), grid, {}, static_cast<const float*>(wide_a()), by_rows,
                           static_cast<const float*>(wide_b()), by_columns, to, result, m, n, k, false));
  if (!wide_c_) return {};
  return device_->launch(VT_NAMED(vt_encode_result), {c_words()}, {}, to, out(), m * n, c_.as<kernels::u64>());
}

Status GemmProblem::spoil() { return device_->launch(VT_NAMED(vt_flip_bit), {1}, {}, c_.as<kernels::u64>(), c_words() / 3, 62); }

Bound GemmProblem::bound(double reference) const {
  if (drawn_ == kernels::Draw::integers || in() == Format::int8) return {0, 0};
  auto unit = sum_unit(in(), plan_.has_value()) + reference;
  return {8 * unit * std::sqrt(static_cast<double>(product_.k)), 2 * output_unit(out())};
}

}  // namespace vt::checks
