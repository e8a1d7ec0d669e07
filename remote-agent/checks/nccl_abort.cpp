#include <chrono>

#include "remote-agent/checks/miscompares.hpp"
#include "remote-agent/checks/nccl_bench.hpp"
#include "remote-agent/checks/outcome.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kBytes = 1024 * 1024;

/// The GPU still computes: a buffer filled and verified.
Result<std::uint64_t> wrong_afterwards(gpu::Device& device) {
  constexpr std::size_t kWords = kBytes / sizeof(std::uint64_t);
  VT_TRY(auto words, device.allocate(kBytes));
  VT_CHECK(fill_words(device, words, kWords, 1));
  VT_TRY(auto found, verify_words(device, words, kWords, 1));
  return std::uint64_t{found.count};
}

/// Calls all_reduce without the rank that has left, and gets out of it again.
Result<json> without_one(NcclSession& session, gpu::Device& device) {
  VT_TRY(auto buffer, device.allocate(kBytes));
  auto since = Clock::now();
  auto call = [&](NcclRank& rank) {
    return rank.comm->all_reduce(buffer.as<void>(), buffer.as<void>(), kBytes / sizeof(float), gpu::Element::float32, gpu::Reduction::sum,
                                 rank.stream);
  };
  auto ended = session.attempt("all_reduce without the last rank", [&] { return session.each(call); });
  auto seconds = std::chrono::duration<double>(Clock::now() - since).count();
  if (ended.done) return fail(Errc::internal, "all_reduce ended well although a rank had left");
  VT_TRY(auto wrong, wrong_afterwards(device));
  auto out = session.about();
  out["survivor_s"] = seconds, out["wrong"] = wrong;
  out["noticed"] = ended.trouble.empty() ? "deadline" : "error", out["error"] = ended.trouble;
  return out;
}

/// The last rank ends its process without a word, its communicator open, after one good all_reduce; the others go on.
Result<json> abort(const Task& task, gpu::Device& device, Reporter& report) {
  VT_TRY(auto session, NcclSession::join(task, device, report, gpu::Calls::at_once));
  VT_TRY(auto bench, NcclBench::make(*session, *nccl_operation("all_reduce"), kBytes));
  VT_TRY(auto found, bench.verify(kBytes, false, false));
  if (found[0].count > 0) return fail(Errc::refused, "all_reduce is wrong before a rank has left");
  if (task.rank != task.world - 1) return without_one(*session, device);
  [[maybe_unused]] static auto* open_to_the_end = session.release();
  return json{{"survivor_s", 0.0}, {"noticed", "left"}, {"wrong", found[0].count}};  // it waits for nobody
}

}  // namespace

Outcome nccl_abort(const Task& task, gpu::Device& device, Reporter& report) { return outcome(device, abort(task, device, report)); }

}  // namespace vt::checks
