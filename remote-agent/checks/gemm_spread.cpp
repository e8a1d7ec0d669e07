#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/gemm_verify.hpp"
#include "remote-agent/checks/outcome.hpp"
#include "remote-agent/checks/samples.hpp"

namespace vt::checks {

namespace {

using kernels::Format;
using nlohmann::json;

constexpr double kLeastBatch = 0.2;  // seconds, below which the clock's steps and the start of a batch show

/// One GPU with its product.
class Runner {
 public:
  static Result<Runner> make(gpu::Device& device, const Task& task) {
    auto format = has(device.info(), Format::bf16) ? Format::bf16 : Format::fp16;
    VT_TRY(auto size, fitting_size(device, task.number("size", 8192)));
    std::optional<gpu::CublasLt> library;
    if (!task.on_cpu() && !task.flag("own")) { VT_TRY(library, gpu::CublasLt::open(device)); }
    VT_TRY(auto problem, GemmProblem::make(device, format, size, library ? &*library : nullptr));
    VT_TRY(auto from, device.new_mark());
    VT_TRY(auto to, device.new_mark());
    Runner out(std::move(problem), from, to);
    VT_CHECK(out.problem_.draw(kernels::Draw::normal, static_cast<std::uint64_t>(agent::wall_ms())));
    VT_CHECK(out.problem_.tune(task.number("tune", 0.5)));
    return out;
  }
  [[nodiscard]] const gpu::DeviceInfo& info() const { return problem_.device().info(); }
  /// Puts a batch into the GPU's queue.
  Status start() {
    VT_CHECK(problem_.device().mark(from_));
    for (std::uint64_t i = 0; i < per_batch_; ++i) VT_CHECK(problem_.run());
    return problem_.device().mark(to_);
  }
  /// Waits for it, and sees to it that the next one takes `least` seconds.
  Status finish(double least) {
    VT_CHECK(problem_.device().wait(to_));
    VT_TRY(auto took, problem_.device().seconds(from_, to_));
    auto once = std::max(took, 1e-9) / static_cast<double>(per_batch_);
    tflops_.push_back(problem_.operations() / once / 1e12);
    per_batch_ = static_cast<std::uint64_t>(std::clamp(std::ceil(least / once), 1.0, 1e5));
    return {};
  }
  void forget() { tflops_.clear(); }
  [[nodiscard]] double rate() const { return spread(tflops_).median; }
  /// Wrong elements of the last result.
  Result<std::uint64_t> wrong(bool fault) {
    if (fault) VT_CHECK(problem_.spoil());
    VT_TRY(auto found, compare_elements(problem_));
    return found.wrong();
  }

 private:
  Runner(GemmProblem problem, gpu::Mark from, gpu::Mark to) : problem_(std::move(problem)), from_(from), to_(to) {}
  GemmProblem problem_;
  gpu::Mark from_, to_;
  std::uint64_t per_batch_ = 1;
  std::vector<double> tflops_;
};

/// All at once.
Status batch(std::vector<Runner>& runners, double least) {
  for (auto& runner : runners) VT_CHECK(runner.start());
  for (auto& runner : runners) VT_CHECK(runner.finish(least));
  return {};
}

Status race(std::vector<Runner>& runners, const Task& task, Reporter& report) {
  using Clock = std::chrono::steady_clock;
  auto least = task.on_cpu() ? 0 : kLeastBatch;
  report.progress("warming up", 0.3);
  auto until = Clock::now() + std::chrono::duration<double>(task.on_cpu() ? 0 : task.number("warm_up", 1));
  do VT_CHECK(batch(runners, least));
  while (Clock::now() < until);
  for (auto& runner : runners) runner.forget();
  for (int i = 0, batches = std::max(1, static_cast<int>(task.number("batches", 5))); i < batches; ++i) {
    report.progress("batch " + std::to_string(i + 1), 0.5 + 0.4 * i / batches);
    VT_CHECK(batch(runners, least));
  }
  return {};
}

std::string place(const Runner& runner, double best) {
  std::array<char, 64> rates{};
  std::snprintf(rates.data(), rates.size(), ": %.4g TFLOP/s where another has %.4g", runner.rate(), best);
  return "GPU " + std::to_string(runner.info().ordinal) + " (" + runner.info().uuid + ")" + rates.data();
}

/// One entry for each model of which there are several.
json compare(const std::vector<Runner>& runners) {
  std::map<std::string, std::vector<const Runner*>> models;
  for (auto& runner : runners) models[runner.info().name].push_back(&runner);
  json out = {{"model", json::array()}, {"spread", json::array()}, {"slowest", json::array()}};
  for (auto& [model, all] : models) {
    if (all.size() < 2) continue;
    auto [slow, fast] = std::minmax_element(all.begin(), all.end(), [](auto* a, auto* b) { return a->rate() < b->rate(); });
    out["model"].push_back(model);
    out["spread"].push_back(100 * ((*fast)->rate() - (*slow)->rate()) / (*fast)->rate());
    out["slowest"].push_back(place(**slow, (*fast)->rate()));
  }
  return out;
}

Result<json> measure(const Task& task, gpu::Devices& devices, Reporter& report) {
  std::vector<Runner> runners;
  for (auto& device : devices) {
    report.progress("the best algorithm", 0.1);
    VT_TRY(auto runner, Runner::make(*device, task));
    runners.push_back(std::move(runner));
  }
  VT_CHECK(race(runners, task, report));
  auto out = compare(runners);
  if (out["model"].empty()) return fail(Errc::refused, "no two GPUs here are of one model");
  report.progress("verifying", 0.9);
  for (auto& runner : runners) {
    VT_TRY(auto wrong, runner.wrong(task.flag("fault")));
    out["wrong"].push_back(wrong), out["tflops"].push_back(runner.rate());
  }
  return out;
}

}  // namespace

/// How far GPUs of one model are apart when all multiply at once: (highest - lowest) / highest of the median rates of args.batches
/// batches, in %. A list with one entry for each model of which there are several GPUs. args.own: with our own kernel.
Outcome gemm_spread(const Task& task, gpu::Devices& devices, Reporter& report) {
  return outcome(*devices.front(), measure(task, devices, report));
}

}  // namespace vt::checks
