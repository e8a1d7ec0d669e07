#include <algorithm>
#include <cmath>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/gemm_verify.hpp"

namespace vt::checks {

namespace {

using kernels::Format;

constexpr double kLeastBatch = 0.2;  // seconds, below which the clock's steps and the start of a batch show

Result<Format> format_named(const std::string& name) {
  for (auto format : {Format::fp64, Format::fp32, Format::tf32, Format::bf16, Format::fp16, Format::e4m3, Format::nvfp4, Format::int8})
    if (name == gpu::name(format)) return format;
  return fail(Errc::usage, "args.type: no such type: '" + name + "'");
}

class Stopwatch {
 public:
  static Result<Stopwatch> make(gpu::Device& device) {
    VT_TRY(auto from, device.new_mark());
    VT_TRY(auto to, device.new_mark());
    return Stopwatch(device, from, to);
  }
  /// Seconds that `times` runs took, without what lies around them.
  Result<double> time(GemmProblem& problem, std::uint64_t times) {
    VT_CHECK(device_->mark(from_));
    for (std::uint64_t i = 0; i < times; ++i) VT_CHECK(problem.run());
    VT_CHECK(device_->mark(to_));
    VT_CHECK(device_->wait(to_));
    return device_->seconds(from_, to_);
  }

 private:
  Stopwatch(gpu::Device& device, gpu::Mark from, gpu::Mark to) : device_(&device), from_(from), to_(to) {}
  gpu::Device* device_;
  gpu::Mark from_, to_;
};

struct Rates {
  std::vector<double> tflops;
  std::uint64_t per_batch = 1;
  [[nodiscard]] double median() {
    std::sort(tflops.begin(), tflops.end());
    auto n = tflops.size();
    return (tflops[(n - 1) / 2] + tflops[n / 2]) / 2;
  }
  [[nodiscard]] double cv_percent() const {
    double sum = 0, squares = 0, n = static_cast<double>(tflops.size());
    for (auto rate : tflops) sum += rate;
    for (auto rate : tflops) squares += (rate - sum / n) * (rate - sum / n);
    return n < 2 ? 0 : 100 * std::sqrt(squares / (n - 1)) / (sum / n);
  }
};

/// Warms up for args.warm_up seconds, so that clocks have settled, then times args.batches batches.
Result<Rates> measure(GemmProblem& problem, const Task& task, Reporter& report) {
  VT_TRY(auto watch, Stopwatch::make(problem.device()));
  VT_TRY(auto once, watch.time(problem, 1));
  Rates out;
  auto least = task.on_cpu() ? 0 : kLeastBatch, warm_up = task.on_cpu() ? 0 : task.number("warm_up", 0.5);
  out.per_batch = static_cast<std::uint64_t>(std::clamp(std::ceil(least / std::max(once, 1e-7)), 1.0, 1e5));
  report.progress("warming up", 0.2);
  for (double spent = 0; spent < warm_up;) {
    VT_TRY(auto took, watch.time(problem, out.per_batch));
    spent += std::max(took, 1e-3);
    out.per_batch = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(least / (took / static_cast<double>(out.per_batch)))));
  }
  for (int i = 0, batches = std::max(1, static_cast<int>(task.number("batches", 5))); i < batches; ++i) {
    report.progress("batch " + std::to_string(i + 1), 0.4 + 0.5 * i / batches);
    VT_TRY(auto took, watch.time(problem, out.per_batch));
    out.tflops.push_back(problem.operations() * static_cast<double>(out.per_batch) / std::max(took, 1e-9) / 1e12);
  }
  return out;
}

Result<nlohmann::json> rate(const Task& task, gpu::Device& device, Reporter& report) {
  VT_TRY(auto format, format_named(task.text("type")));
  VT_TRY(auto size, fitting_size(device, task.number("size", 8192), 128));
  bool own = task.on_cpu() || task.flag("own");
  auto library = own ? Result<gpu::CublasLt>(gpu::CublasLt{}) : gpu::CublasLt::open(device);
  if (!library) return fail(library.error());
  VT_TRY(auto problem, GemmProblem::make(device, format, size, own ? nullptr : &*library));
  auto seed = static_cast<std::uint64_t>(agent::wall_ms());
  VT_CHECK(problem.draw(kernels::Draw::normal, seed));
  VT_CHECK(problem.tune(task.number("tune", 1)));
  VT_TRY(auto rates, measure(problem, task, report));
  if (task.flag("fault")) VT_CHECK(problem.spoil());
  report.progress("verifying", 0.9);
  VT_TRY(auto found, verify(problem, seed));
  auto median = rates.median();
  report.metric(std::string("gemm.") + gpu::name(format), median, "TFLOP/s", device.info().uuid);
  return nlohmann::json{{"tflops", median},
                        {"lowest", rates.tflops.front()},
                        {"highest", rates.tflops.back()},
                        {"cv_percent", rates.cv_percent()},
                        {"per_batch", rates.per_batch},
                        {"size", size.m},
                        {"wrong", found.wrong()},
                        {"worst_error", found.worst},
                        {"first_wrong", found.first},
                        {"kernel", own ? "own, " + device.rung() : "cuBLASLt " + library->version() + ", " + problem.algorithm()},
                        {"library", own ? "" : library->path()}};
}

}  // namespace

/// The rate of products of args.type and args.size with the best algorithm of the host's cuBLASLt (args.own: our own kernel): the median
/// of args.batches batches of at least 0.2 s, and every element of the last result verified.
Outcome gemm_rate(const Task& task, gpu::Device& device, Reporter& report) {
  auto values = rate(task, device, report);
  if (!values) return {{}, device.info().uuid, values.error().what};
  return {*values, device.info().uuid, ""};
}

}  // namespace vt::checks
