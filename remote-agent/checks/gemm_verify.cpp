#include "remote-agent/checks/gemm_verify.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <sstream>
#include <vector>

namespace vt::checks {

namespace {

using Clock = std::chrono::steady_clock;
using kernels::Format;
using kernels::Miscompares;

constexpr int kVectors = 3;             // Freivalds: a wrong element beyond the bound escapes with probability 1/8
constexpr std::uint64_t kSampled = 64;  // rows, and columns: 4096 elements

std::string place(const GemmProblem& problem, std::uint64_t index, double expected, double found) {
  std::ostringstream out;
  out << gpu::name(problem.in()) << " element (" << index % problem.size().m << ", " << index / problem.size().m << "): expected "
      << expected << ", found " << found;
  return out.str();
}

/// Room on the device for what kernels report.
class Tally {
 public:
  static Result<Tally> make(gpu::Device& device) {
    Tally out;
    out.device_ = &device;
    VT_TRY(out.buffer_, device.allocate(sizeof(Miscompares)));
    VT_CHECK(out.clear());
    return out;
  }
  Status clear() { return device_->set(buffer_.as<void>(), 0, sizeof(Miscompares)); }
  [[nodiscard]] Miscompares* at() const { return buffer_.as<Miscompares>(); }
  Result<Miscompares> read() {
    Miscompares out{};
    VT_CHECK(device_->copy(&out, buffer_.as<void>(), sizeof out));
    VT_CHECK(device_->finish());
    VT_CHECK(clear());
    return out;
  }

 private:
  gpu::Device* device_ = nullptr;
  gpu::Buffer buffer_;
};

Status count_elements(const GemmProblem& p, Tally& tally, GemmFindings& findings) {
  auto [m, n, k] = p.size();
  gpu::Grid grid{kernels::tiles(m, 8) * kernels::tiles(n, 4)};
  auto* c = p.c().as<kernels::u64>();
  if (p.in() == Format::fp64) {
    VT_CHECK(p.device().launch(VT_NAMED(vt_gemm_compare_f64), grid, {}, static_cast<const double*>(p.wide_a()),
                               static_cast<const double*>(p.wide_b()), c, p.out(), m, n, k, p.bound(0x1p-53), tally.at()));
  } else {
    VT_CHECK(p.device().launch(VT_NAMED(vt_gemm_compare_f32), grid, {}, static_cast<const float*>(p.wide_a()),
                               static_cast<const float*>(p.wide_b()), c, p.out(), m, n, k, p.bound(0x1p-24), tally.at()));
  }
  VT_TRY(auto wrong, tally.read());
  findings.elements += wrong.count, findings.compared += m * n;
  if (wrong.count && findings.first.empty())
    findings.first = place(p, wrong.first[0].index, kernels::double_of(wrong.first[0].expected), kernels::double_of(wrong.first[0].found));
  return {};
}

Status count_nonfinite(const GemmProblem& p, Tally& tally, GemmFindings& findings) {
  auto elements = p.size().m * p.size().n;
  VT_CHECK(p.device().launch(VT_NAMED(vt_count_nonfinite), {elements}, {}, p.c().as<kernels::u64>(), p.out(), elements, tally.at()));
  VT_TRY(auto wrong, tally.read());
  findings.nonfinite += wrong.count;
  return {};
}

template <class T>
Status one_vector(
    const GemmProblem& p, const kernels::Kernel<const T*, kernels::u64, kernels::u64, kernels::u64, double*, double*>& right,
    const kernels::Kernel<const T*, const double*, const double*, const kernels::u64*, kernels::FreivaldsSize, Miscompares*>& rows,
    std::uint64_t seed, const gpu::Buffer& sums, Tally& tally) {
  auto [m, n, k] = p.size();
  auto *bx = sums.as<double>(), *squares = bx + k;
  VT_CHECK(p.device().launch(right, {k}, {}, static_cast<const T*>(p.wide_b()), n, k, seed, bx, squares));
  kernels::FreivaldsSize size{m, n, k, p.out(), p.bound(0), seed};
  return p.device().launch(rows, {m}, {}, static_cast<const T*>(p.wide_a()), bx, squares, p.c().as<kernels::u64>(), size, tally.at());
}

Status count_rows(const GemmProblem& p, std::uint64_t seed, Tally& tally, GemmFindings& findings) {
  VT_TRY(auto sums, p.device().allocate(2 * p.size().k * sizeof(double)));
  std::uint64_t most = 0;
  for (int i = 0; i < kVectors; ++i) {
    auto at = kernels::word_at(seed, static_cast<std::uint64_t>(i));
    if (p.in() == Format::fp64) {
      VT_CHECK(one_vector<double>(p, VT_NAMED(vt_freivalds_right_f64), VT_NAMED(vt_freivalds_rows_f64), at, sums, tally));
    } else {
      VT_CHECK(one_vector<float>(p, VT_NAMED(vt_freivalds_right_f32), VT_NAMED(vt_freivalds_rows_f32), at, sums, tally));
    }
    VT_TRY(auto wrong, tally.read());
    most = std::max<std::uint64_t>(most, wrong.count);
    if (wrong.count && findings.first.empty())
      findings.first = std::string(gpu::name(p.in())) + " row " + std::to_string(wrong.first[0].index) + " fails Freivalds' check";
  }
  findings.rows += most;
  return {};
}

/// One number in each of equal stretches of 0 … n-1.
std::vector<kernels::u64> spread(std::uint64_t n, std::uint64_t seed) {
  auto count = std::min(kSampled, n);
  std::vector<kernels::u64> out;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto from = i * n / count, to = (i + 1) * n / count;
    out.push_back(from + kernels::word_at(seed, i) % (to - from));
  }
  return out;
}

/// Row `row` of an operand, from its seed.
std::vector<double> drawn_row(const GemmProblem& p, std::uint64_t seed, std::uint64_t row) {
  auto k = p.size().k;
  std::vector<double> out(k);
  for (std::uint64_t b = 0; b < k / kernels::kScaled; ++b)
    kernels::draw_block(&out[b * kernels::kScaled], p.in(), p.drawn(), seed, row * (k / kernels::kScaled) + b);
  return out;
}

Result<std::vector<double>> gather(const GemmProblem& p, const std::vector<kernels::u64>& rows, const std::vector<kernels::u64>& columns) {
  auto& device = p.device();
  std::vector<double> out(rows.size() * columns.size());
  VT_TRY(auto where, device.allocate((rows.size() + columns.size()) * sizeof(kernels::u64)));
  VT_TRY(auto values, device.allocate(out.size() * sizeof(double)));
  auto *row = where.as<kernels::u64>(), *column = row + rows.size();
  VT_CHECK(device.copy(row, rows.data(), rows.size() * sizeof(kernels::u64)));
  VT_CHECK(device.copy(column, columns.data(), columns.size() * sizeof(kernels::u64)));
  VT_CHECK(device.launch(VT_NAMED(vt_gather_elements), {out.size()}, {}, p.c().as<kernels::u64>(), p.out(), p.size().m, row, rows.size(),
                         column, columns.size(), values.as<double>()));
  VT_CHECK(device.copy(out.data(), values.as<void>(), out.size() * sizeof(double)));
  VT_CHECK(device.finish());
  return out;
}

void judge_sample(const GemmProblem& p, const std::vector<double>& a, const std::vector<double>& b, double found, std::uint64_t index,
                  GemmFindings& findings) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double product = a[i] * b[i];
    sum += product, squares += product * product;
  }
  auto bound = p.bound(0);
  auto room = bound.accumulate * std::sqrt(squares) + bound.output * std::abs(sum);
  if (room > 0 && std::isfinite(found)) findings.worst = std::max(findings.worst, std::abs(found - sum) / room);
  if (kernels::holds(found, sum, squares, bound, p.out())) return;
  if (findings.samples++ == 0 && findings.first.empty()) findings.first = place(p, index, sum, found);
}

Status count_samples(const GemmProblem& p, std::uint64_t seed, GemmFindings& findings) {
  auto rows = spread(p.size().m, seed), columns = spread(p.size().n, ~seed);
  VT_TRY(auto found, gather(p, rows, columns));
  std::vector<std::vector<double>> a;
  for (auto row : rows) a.push_back(drawn_row(p, p.a_seed(), row));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    auto b = drawn_row(p, p.b_seed(), columns[j]);
    for (std::size_t i = 0; i < rows.size(); ++i)
      judge_sample(p, a[i], b, found[i + j * rows.size()], rows[i] + columns[j] * p.size().m, findings);
  }
  return {};
}

/// The first element in which a word of two results differs, and in which bits.
std::string difference(const GemmProblem& p, const kernels::Miscompare& word) {
  auto bits = kernels::bits_per(p.out());
  auto apart = word.expected ^ word.found;
  auto within = static_cast<std::uint64_t>(std::countr_zero(apart)) / bits;
  auto index = word.index * (64 / bits) + within;
  auto mask = apart >> (within * bits) & (bits == 64 ? ~0ULL : (1ULL << bits) - 1);
  std::ostringstream out;
  out << gpu::name(p.in()) << " element (" << index % p.size().m << ", " << index / p.size().m << ") differs between two runs in bits 0x"
      << std::hex << mask;
  return out.str();
}

}  // namespace

std::uint64_t GemmFindings::wrong() const { return std::max({elements, rows, samples, nonfinite, repeats}); }

void GemmFindings::add(const GemmFindings& o) {
  elements += o.elements, rows += o.rows, samples += o.samples, nonfinite += o.nonfinite, repeats += o.repeats, again += o.again,
      compared += o.compared;
  worst = std::max(worst, o.worst);
  if (first.empty()) first = o.first;
}

Result<GemmFindings> verify(const GemmProblem& problem, std::uint64_t seed) {
  GemmFindings out;
  VT_TRY(auto tally, Tally::make(problem.device()));
  VT_CHECK(count_elements(problem, tally, out));
  VT_CHECK(count_nonfinite(problem, tally, out));
  VT_CHECK(count_samples(problem, seed, out));
  // An exact answer that its format had to round is not what the sums of a row give.
  if (problem.drawn() == kernels::Draw::normal) VT_CHECK(count_rows(problem, seed, tally, out));
  return out;
}

Result<GemmFindings> compare_elements(const GemmProblem& problem) {
  GemmFindings out;
  VT_TRY(auto tally, Tally::make(problem.device()));
  VT_CHECK(count_elements(problem, tally, out));
  return out;
}

Result<GemmFindings> verify_repeats(GemmProblem& problem, int times, double seconds) {
  auto& device = problem.device();
  GemmFindings out;
  VT_TRY(auto tally, Tally::make(device));
  VT_TRY(auto before, device.allocate(problem.c().bytes()));
  VT_CHECK(device.copy(before.as<void>(), problem.c().as<void>(), problem.c().bytes()));
  auto until = Clock::now() + std::chrono::duration<double>(seconds);
  for (int i = 0; i < times && (i == 0 || Clock::now() < until); ++i, ++out.again) {
    VT_CHECK(problem.run());
    VT_CHECK(device.launch(VT_NAMED(vt_compare_results), {problem.c_words()}, {}, before.as<kernels::u64>(), problem.c().as<kernels::u64>(),
                           problem.c_words(), tally.at()));
    VT_CHECK(device.finish());
  }
  VT_TRY(auto wrong, tally.read());
  out.repeats = wrong.count, out.compared = out.again * problem.size().m * problem.size().n;
  if (wrong.count) out.first = difference(problem, wrong.first[0]);
  return out;
}

}  // namespace vt::checks
