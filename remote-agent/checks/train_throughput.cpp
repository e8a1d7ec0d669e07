#include <algorithm>
#include <cmath>

#include "kernels/gemm.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/miscompares.hpp"
#include "remote-agent/checks/outcome.hpp"
#include "remote-agent/checks/resnet_proof.hpp"
#include "remote-agent/checks/samples.hpp"

namespace vt::checks {

namespace {

constexpr std::uint64_t kSeed = 50, kMostBatch = 256, kLeastBatch = 8;
constexpr std::uint64_t kFewestPixels = 32, kMostPixels = 512;

/// What is trained for the time it takes.
struct Course {
  ResNet net;
  std::uint64_t batch, steps;
  double seconds;
};

/// As many images as fit into half of the free memory, in steps of 8; args.batch if that is given.
Result<std::uint64_t> batch_for(gpu::Device& device, const ResNet& net, const Task& task) {
  auto asked = static_cast<std::uint64_t>(std::clamp(task.number("batch", 0), 0.0, 1024.0)) / 8 * 8;
  if (asked > 0) return asked;
  if (task.on_cpu()) return kLeastBatch;
  VT_TRY(auto free, device.free_memory());
  for (auto batch = kMostBatch; batch > kLeastBatch; batch -= 8)
    if (ResNetTrainer::bytes(net, batch) <= free / 2) return batch;
  return kLeastBatch;
}

Result<Course> course_of(gpu::Device& device, const Task& task) {
  ResNetSize size;
  auto pixels = std::clamp(task.number("image", 224), static_cast<double>(kFewestPixels), static_cast<double>(kMostPixels));
  size.image = static_cast<std::uint64_t>(pixels) / 32 * 32;
  if (task.on_cpu()) size.image = 32, size.width = 8, size.classes = 16;
  Course out{ResNet(size), 0, 0, 0};
  VT_TRY(out.batch, batch_for(device, out.net, task));
  out.steps = static_cast<std::uint64_t>(std::clamp(task.number("steps", 60), 2.0, static_cast<double>(ResNetMemory::kMostLosses)));
  out.seconds = task.number("seconds", 30);
  if (task.on_cpu()) out.steps = std::min<std::uint64_t>(out.steps, 15), out.seconds = 0;
  return out;
}

/// What the training of a course has shown.
struct Shown {
  std::vector<float> losses;
  std::vector<double> rates;  ///< images/s of each batch of steps
  std::uint64_t nonfinite = 0;
};

/// Batches of steps of about a second until both steps and seconds have passed.
Result<Shown> train(gpu::Device& device, ResNetTrainer& trainer, const Course& course, Reporter& report) {
  VT_TRY(auto from, device.new_mark());
  VT_TRY(auto to, device.new_mark());
  Shown out;
  std::uint64_t per_round = 1;
  for (double spent = 0; out.losses.size() < course.steps || spent < course.seconds;) {
    report.progress("step " + std::to_string(out.losses.size()), std::min(0.95, 0.1 + 0.8 * spent / std::max(course.seconds, 1.0)));
    per_round = std::min(per_round, ResNetMemory::kMostLosses);
    VT_CHECK(device.mark(from));
    for (std::uint64_t i = 0; i < per_round; ++i) {
      VT_CHECK(trainer.forward_backward());
      VT_CHECK(trainer.update());
    }
    VT_CHECK(device.mark(to));
    VT_TRY(auto losses, trainer.losses());
    VT_TRY(auto took, device.seconds(from, to));
    out.losses.insert(out.losses.end(), losses.begin(), losses.end());
    auto images = static_cast<double>(per_round * course.batch);
    out.rates.push_back(images / std::max(took, 1e-9));
    spent += std::max(took, 1e-3);
    per_round = static_cast<std::uint64_t>(std::max(1.0, std::floor(static_cast<double>(per_round) / std::max(took, 1e-3))));
    report.metric("train.throughput", out.rates.back(), "images/s", device.info().uuid);
  }
  for (auto loss : out.losses) out.nonfinite += !std::isfinite(loss);
  auto numbers = trainer.weights().bytes() / sizeof(float);
  VT_TRY(auto wrong, count_wrong(device, [&](auto* found) {
           return device.launch(VT_NAMED(vt_count_nonfinite), {numbers}, {}, trainer.weights().as<kernels::u64>(), kernels::Format::fp32,
                                numbers, found);
         }));
  out.nonfinite += wrong.count;
  return out;
}

Result<nlohmann::json> throughput(const Task& task, gpu::Device& device, Reporter& report) {
  VT_TRY(auto course, course_of(device, task));
  auto library = task.on_cpu() ? Result<gpu::CublasLt>(gpu::CublasLt{}) : gpu::CublasLt::open(device);
  if (!library) return fail(library.error());
  auto* products = task.on_cpu() ? nullptr : &*library;
  report.progress("comparing with the reference", 0);
  VT_TRY(auto proof, prove_resnet(device, products, kSeed, task.flag("fault")));
  VT_TRY(auto trainer, ResNetTrainer::make(device, course.net, course.batch, kSeed, products));
  report.progress("choosing algorithms", 0.05);
  if (!task.on_cpu()) VT_CHECK(trainer.tune(task.number("tune", 0.1)));
  VT_TRY(auto shown, train(device, trainer, course, report));
  // The first rounds are short, and with cool clocks.
  auto settled = std::min<std::size_t>(2, shown.rates.size() - 1);
  auto rate = spread({shown.rates.begin() + static_cast<std::ptrdiff_t>(settled), shown.rates.end()});
  return nlohmann::json{{"images_per_s", rate.median},
                        {"cv_percent", 100 * rate.cv},
                        {"tflops", rate.median * course.net.training_operations() / 1e12},
                        {"batch", course.batch},
                        {"image", course.net.stem.size},
                        {"steps", shown.losses.size()},
                        {"first_loss", shown.losses.front()},
                        {"last_loss", shown.losses.back()},
                        {"ratio", shown.losses.back() / shown.losses.front()},
                        {"wrong", proof.wrong},
                        {"first_wrong", proof.first},
                        {"gradient_error", proof.gradient_error},
                        {"loss_error", proof.loss_error},
                        {"nonfinite", proof.nonfinite + shown.nonfinite},
                        {"kernel", products ? "cuBLASLt " + library->version() : "own, " + device.rung()}};
}

}  // namespace

/// Images per second of training ResNet-50 (resnet_layers.hpp) on drawn images of args.image pixels, args.batch at a time (0: what fits,
/// 256 at most), for args.steps steps and args.seconds seconds at least; products by the host's cuBLASLt, the rest by our own kernels.
/// Before that a small one is compared with the reference in fp64 (`wrong`). `ratio` is the last loss by the first. On the processor a
/// narrow ResNet-50 of 32 pixels is trained. args.fault turns over one bit of the small one's weights.
Outcome train_throughput(const Task& task, gpu::Device& device, Reporter& report) {
  return outcome(device, throughput(task, device, report));
}

}  // namespace vt::checks
