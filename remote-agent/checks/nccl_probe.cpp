#include <algorithm>
#include <array>
#include <cstdio>

#include "remote-agent/checks/miscompares.hpp"
#include "remote-agent/checks/nccl_bench.hpp"
#include "remote-agent/checks/outcome.hpp"
#include "remote-agent/checks/samples.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;

/// The oldest NCCL that works on a compute capability; "" where any that can be loaded does. Machine code for sm_100 and sm_120 exists
/// since 2.25.1 (release notes), which asks for more shared memory than sm_120 has (NVIDIA/nccl#1637): there 2.26.2.
const char* oldest_for(int sm) {
  if (sm >= 120) return "2.26.2";
  return sm >= 100 ? "2.25.1" : "";
}

std::array<int, 3> numbers(const std::string& version) {
  std::array<int, 3> out{};
  std::sscanf(version.c_str(), "%d.%d.%d", &out[0], &out[1], &out[2]);
  return out;
}

Result<json> version(const gpu::Device& device) {
  VT_TRY(auto nccl, gpu::Nccl::open());
  std::string oldest = oldest_for(device.info().sm);
  return json{{"version", nccl.version()},
              {"library", nccl.path()},
              {"oldest", oldest},
              {"new_enough", oldest.empty() || numbers(nccl.version()) >= numbers(oldest)}};
}

/// Joining, and one small verified all_reduce: NCCL connects the ranks at the first of each kind.
Result<json> init(const Task& task, gpu::Device& device, Reporter& report) {
  constexpr std::uint64_t kBytes = 1024 * 1024;
  VT_TRY(auto session, NcclSession::join(task, device, report, gpu::Calls::at_once));
  VT_TRY(auto bench, NcclBench::make(*session, *nccl_operation("all_reduce"), kBytes));
  auto since = std::chrono::steady_clock::now();
  VT_TRY(auto found, bench.verify(kBytes, false, task.flag("fault")));
  auto out = session->about();
  out["connect_s"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  out["wrong"] = found[0].count, out["first_wrong"] = text(found[0], kBytes / sizeof(float));
  return out;
}

/// Calls that return when the work is on the stream: what a thread for each call costs is not the network's.
Result<json> latency(const Task& task, gpu::Device& device, Reporter& report) {
  constexpr std::array<std::uint64_t, 4> kSizes = {8, 1024, 32 * 1024, 256 * 1024};
  auto iterations = static_cast<int>(std::clamp(task.number("iterations", 200), 1.0, 1e5));
  VT_TRY(auto session, NcclSession::join(task, device, report, gpu::Calls::in_order));
  VT_TRY(auto bench, NcclBench::make(*session, *nccl_operation("all_reduce"), kSizes.back()));
  auto out = session->about();
  out["wrong"] = 0;
  for (auto bytes : kSizes) {
    VT_TRY(auto found, bench.verify(bytes, false, task.flag("fault")));
    VT_TRY(auto seconds, bench.time_each(bytes, 20, iterations));
    auto p50 = percentile(seconds, 0.5) * 1e6, p99 = percentile(seconds, 0.99) * 1e6;
    if (bytes == kSizes.front()) out["p50_us"] = p50, out["p99_us"] = p99;
    out["sizes"].push_back({{"bytes", bytes}, {"p50_us", p50}, {"p99_us", p99}});
    out["wrong"] = out["wrong"].get<std::uint64_t>() + found[0].count;
  }
  return out;
}

}  // namespace

Outcome nccl_version(const Task&, gpu::Device& device, Reporter&) { return outcome(device, version(device)); }
Outcome nccl_init(const Task& task, gpu::Device& device, Reporter& report) { return outcome(device, init(task, device, report)); }
Outcome nccl_latency(const Task& task, gpu::Device& device, Reporter& report) { return outcome(device, latency(task, device, report)); }

}  // namespace vt::checks
