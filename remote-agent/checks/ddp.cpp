#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "remote-agent/checks/nccl_session.hpp"
#include "remote-agent/checks/outcome.hpp"
#include "remote-agent/checks/training.hpp"

namespace vt::checks {

namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::uint64_t kSeed = 20251;
constexpr int kEnds = 5;  // steps that are averaged at both ends of a course

/// What is done to the gradients before the update.
using Exchange = std::function<Status(const gpu::Buffer& gradients, int step)>;

struct Course {
  std::vector<float> losses;
  double seconds = 0;
  std::uint64_t hash = 0;
};

/// `parts`: of how many equal parts of each step's sequences this is number `part`.
Result<Course> train(gpu::Device& device, const ModelSize& size, int steps, int part, int parts, const Exchange& exchange) {
  auto library = gpu::CublasLt::open(device);
  VT_TRY(auto trainer, Trainer::make(device, size, kSeed, library ? &*library : nullptr));
  Course out;
  auto since = Clock::now();
  for (int step = 0; step < steps; ++step) {
    VT_TRY(auto loss, trainer.forward_backward(static_cast<std::uint64_t>(step * parts + part) * size.batch));
    out.losses.push_back(static_cast<float>(loss));
    if (exchange) VT_CHECK(exchange(trainer.gradients(), step));
    VT_CHECK(trainer.update(exchange ? 1.0 / parts : 1));
  }
  VT_TRY(out.hash, trainer.weights_hash());
  out.seconds = std::chrono::duration<double>(Clock::now() - since).count();
  return out;
}

/// Everyone's text under `key`, in the order of the ranks. Sixteen digits are base64.
Result<std::vector<std::string>> exchanged(const Task& task, Reporter& report, const std::string& key, std::uint64_t own) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(own));
  report.publish(key + "." + std::to_string(task.rank), digits);
  std::vector<std::string> out;
  for (int rank = 0; rank < task.world; ++rank) {
    auto text = rank == task.rank ? std::optional<std::string>(digits) : report.await(key + "." + std::to_string(rank));
    if (!text) return fail(Errc::timeout, "rank " + std::to_string(rank) + " did not come to " + key);
    out.push_back(*text);
  }
  return out;
}

Status sum_over_ranks(NcclSession& session, const gpu::Buffer& floats, const std::string& what) {
  return session.run(what, [&] {
    return session.each([&](NcclRank& rank) {
      return rank.comm->all_reduce(floats.as<void>(), floats.as<void>(), floats.bytes() / sizeof(float), gpu::Element::float32,
                                   gpu::Reduction::sum, rank.stream);
    });
  });
}

/// The mean of the ranks' losses of each step: the loss over all sequences of the step.
Status average_losses(NcclSession& session, gpu::Device& device, std::vector<float>& losses) {
  auto stream = session.ranks().front().stream;
  VT_TRY(auto there, device.allocate(losses.size() * sizeof(float)));
  VT_CHECK(device.copy(there.as<void>(), losses.data(), there.bytes(), stream));
  VT_CHECK(sum_over_ranks(session, there, "all_reduce of the losses"));
  VT_CHECK(device.copy(losses.data(), there.as<void>(), there.bytes(), stream));
  VT_CHECK(device.finish(stream));
  for (auto& loss : losses) loss /= static_cast<float>(session.world());
  return {};
}

double mean_of(const std::vector<float>& losses, std::size_t from) {
  double sum = 0;
  for (std::size_t i = from; i < from + kEnds; ++i) sum += static_cast<double>(losses[i]);
  return sum / kEnds;
}

/// NaN counts as apart.
double most_apart(const std::vector<float>& a, const std::vector<float>& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto apart = static_cast<double>(std::abs(a[i] - b[i]));
    if (!(apart <= out)) out = std::isfinite(apart) ? apart : 1e9;
  }
  return out;
}

/// args.fault spoils one gradient of the last rank, half way: its weights then differ from the others'.
Exchange gradients_through(NcclSession& session, gpu::Device& device, const Task& task, int steps) {
  return [&session, &device, &task, steps](const gpu::Buffer& gradients, int step) -> Status {
    VT_CHECK(sum_over_ranks(session, gradients, "all_reduce of the gradients"));
    if (!task.flag("fault") || step != steps / 2 || task.rank != task.world - 1) return {};
    return device.launch(VT_NAMED(vt_flip_bit), {1}, {}, gradients.as<kernels::u64>(), 1, 62);
  };
}

/// The same sequences by all GPUs together, each its part of every step, and by each GPU alone in one large batch. What one GPU does with
/// one part in that time is measured while the others rest: efficiency = its time by the time with all of them.
Result<json> ddp(const Task& task, gpu::Device& device, Reporter& report) {
  auto steps = std::max(2 * kEnds, static_cast<int>(std::min(task.number("steps", 60), 1e6)));
  ModelSize part, whole;
  whole.batch *= static_cast<std::uint64_t>(std::max(1, task.world));
  VT_TRY(auto session, NcclSession::join(task, device, report, gpu::Calls::in_order));
  VT_TRY(auto reference, train(device, whole, steps, 0, 1, {}));
  VT_CHECK(exchanged(task, report, "ddp.ready", 0));
  Course alone;
  if (task.rank == 0) { VT_TRY(alone, train(device, part, steps, 0, task.world, {})); }
  VT_CHECK(exchanged(task, report, "ddp.alone", 0));
  VT_TRY(auto together, train(device, part, steps, task.rank, task.world, gradients_through(*session, device, task, steps)));
  VT_CHECK(average_losses(*session, device, together.losses));
  VT_TRY(auto hashes, exchanged(task, report, "ddp.weights", together.hash));
  auto first = mean_of(together.losses, 0), last = mean_of(together.losses, together.losses.size() - kEnds);
  auto sequences = static_cast<double>(whole.batch) * steps;
  json out = {{"loss_first", first}, {"loss_last", last}, {"ratio", last / first}, {"steps", steps}, {"ranks", task.world}};
  out["apart"] = most_apart(together.losses, reference.losses);
  out["distinct_weights"] = std::set<std::string>(hashes.begin(), hashes.end()).size();
  out["sequences_s"] = sequences / together.seconds;
  if (task.rank == 0) out["efficiency"] = alone.seconds / together.seconds;
  return out;
}

}  // namespace

Outcome train_ddp(const Task& task, gpu::Device& device, Reporter& report) { return outcome(device, ddp(task, device, report)); }

}  // namespace vt::checks
