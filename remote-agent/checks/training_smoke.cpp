#include <chrono>
#include <cmath>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/training.hpp"
#include "remote-agent/gpu/open.hpp"

namespace vt::checks {

namespace {

using Clock = std::chrono::steady_clock;

/// Losses of two machines that round differently drift apart; those of one that computes wrongly jump.
constexpr double kApart = 1e-2;
constexpr std::uint64_t kSeed = 20250;
constexpr int kEnds = 5;  // steps that are averaged at both ends

struct Course {
  std::vector<double> losses;
  double seconds = 0;
  std::uint64_t hash = 0;
};

/// `fault`: spoils a weight after the first half.
Result<Course> train(gpu::Device& device, gpu::CublasLt* library, std::uint64_t seed, int steps, bool fault) {
  ModelSize size;
  VT_TRY(auto trainer, Trainer::make(device, size, seed, library));
  Course out;
  auto start = Clock::now();
  for (int i = 0; i < steps; ++i) {
    VT_TRY(auto loss, trainer.forward_backward(static_cast<std::uint64_t>(i) * size.batch));
    out.losses.push_back(loss);
    VT_CHECK(trainer.update());
    if (fault && i == steps / 2) VT_CHECK(device.launch(VT_NAMED(vt_flip_bit), {1}, {}, trainer.weights().as<kernels::u64>(), 1, 62));
  }
  out.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  VT_TRY(out.hash, trainer.weights_hash());
  return out;
}

double average(const std::vector<double>& losses, std::size_t from) {
  double sum = 0;
  for (int i = 0; i < kEnds; ++i) sum += losses[from + static_cast<std::size_t>(i)];
  return sum / kEnds;
}

/// What all seeds together have shown.
struct Shown {
  double first = 0, last = 0, ratio = 0, deviation = 0, rate = 0;
  std::uint64_t wrong = 0, nonfinite = 0;
};

void judge(const Course& course, const Course& reference, Shown& shown) {
  auto n = course.losses.size();
  for (std::size_t i = 0; i < n; ++i) {
    auto apart = std::abs(course.losses[i] - reference.losses[i]);
    shown.nonfinite += !std::isfinite(course.losses[i]);
    shown.wrong += !(apart <= kApart);
    if (std::isfinite(apart)) shown.deviation = std::max(shown.deviation, apart);
  }
  auto first = average(course.losses, 0), last = average(course.losses, n - kEnds);
  if (last / first >= shown.ratio || !std::isfinite(last)) shown.first = first, shown.last = last, shown.ratio = last / first;
  shown.rate = static_cast<double>(n) / course.seconds;
}

Result<nlohmann::json> smoke(const Task& task, gpu::Device& device, Reporter& report) {
  auto steps = std::max(2 * kEnds, static_cast<int>(task.number("steps", 150)));
  auto seeds = std::max(1, static_cast<int>(task.number("seeds", 1)));
  auto library = gpu::CublasLt::open(device);
  auto reference_device = gpu::open_cpu();
  Shown shown;
  std::string hash;
  for (int i = 0; i < seeds; ++i) {
    auto seed = kSeed + static_cast<std::uint64_t>(i);
    report.progress("seed " + std::to_string(i + 1), static_cast<double>(i) / seeds);
    VT_TRY(auto course, train(device, library ? &*library : nullptr, seed, steps, task.flag("fault")));
    VT_TRY(auto reference, train(*reference_device, nullptr, seed, steps, false));
    judge(course, reference, shown);
    hash = std::to_string(course.hash);
  }
  report.metric("train.smoke", shown.rate, "steps/s", device.info().uuid);
  return nlohmann::json{{"wrong", shown.wrong},
                        {"nonfinite", shown.nonfinite},
                        {"ratio", shown.ratio},
                        {"first_loss", shown.first},
                        {"last_loss", shown.last},
                        {"deviation", shown.deviation},
                        {"steps", steps},
                        {"seeds", seeds},
                        {"steps_per_s", shown.rate},
                        {"weights", hash},
                        {"kernel", library ? "cuBLASLt " + library->version() : "own, " + device.rung()}};
}

}  // namespace

/// Trains the small transformer of training.hpp for args.steps steps from each of args.seeds seeds, and the same on this machine's
/// processor. `wrong` counts steps whose losses are more than 0.01 apart; `ratio` is the worst last loss by first loss, each the mean of 5.
/// args.fault spoils a weight on the way.
Outcome train_smoke(const Task& task, gpu::Device& device, Reporter& report) {
  auto values = smoke(task, device, report);
  if (!values) return {{}, device.info().uuid, values.error().what};
  return {*values, device.info().uuid, ""};
}

}  // namespace vt::checks
