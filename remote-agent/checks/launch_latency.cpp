#include <algorithm>
#include <chrono>

#include "kernels/launch.hpp"
#include "remote-agent/checks/outcome.hpp"
#include "remote-agent/checks/samples.hpp"
#include "remote-agent/gpu/graph.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;

constexpr int kProven = 100;  // launches that are counted

/// Microseconds of `times` launches, each waited for, after a few that are not told.
template <class Launch>
Result<std::vector<double>> time_each(gpu::Device& device, gpu::Stream stream, int times, const Launch& launch) {
  using Clock = std::chrono::steady_clock;
  constexpr int kWarmUp = 50;
  std::vector<double> out;
  for (int i = -kWarmUp; i < times; ++i) {
    auto start = Clock::now();
    VT_CHECK(launch());
    VT_CHECK(device.finish(stream));
    if (i >= 0) out.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  return out;
}

/// A graph of one launch.
template <class Launch>
Result<gpu::Graph> record(gpu::Device& device, gpu::Stream stream, const Launch& launch) {
  VT_CHECK(launch());
  VT_CHECK(device.finish(stream));
  VT_TRY(auto graph, gpu::Graph::begin(device, stream));
  VT_CHECK(launch());
  VT_CHECK(graph.end());
  return graph;
}

/// One that may be lacking: then there is no figure of it.
Result<std::vector<double>> time_graph(gpu::Device& device, gpu::Stream stream, int times) {
  auto graph = record(device, stream, [&] { return device.launch(VT_NAMED(vt_nothing), {}, stream); });
  if (!graph && graph.error().code == Errc::refused) return std::vector<double>{};
  if (!graph) return fail(graph.error());
  return time_each(device, stream, times, [&] { return graph->launch(); });
}

/// Launches that did not happen, or happened twice.
Result<std::uint64_t> miscounted(gpu::Device& device, gpu::Stream stream, bool fault) {
  VT_TRY(auto count, device.allocate(sizeof(kernels::u64)));
  auto* at = count.as<kernels::u64>();
  VT_CHECK(device.set(at, 0, sizeof *at, stream));
  for (int i = 0; i < kProven; ++i) VT_CHECK(device.launch(VT_NAMED(vt_count_up), {}, stream, at));
  if (fault) VT_CHECK(device.launch(VT_NAMED(vt_flip_bit), {}, stream, at, 0, 4));
  VT_CHECK(device.finish(stream));
  kernels::u64 counted = 0;
  VT_CHECK(device.copy(&counted, at, sizeof counted));
  VT_CHECK(device.finish());
  return counted > kProven ? counted - kProven : kProven - counted;
}

void tell(json& values, const std::string& name, const std::vector<double>& us) {
  if (us.empty()) return;
  values[name + "p50_us"] = percentile(us, 0.5), values[name + "p99_us"] = percentile(us, 0.99);
}

Result<json> measure(const Task& task, gpu::Device& device, Reporter& report) {
  auto times = static_cast<int>(std::clamp(task.number("launches", 1000), 1.0, 1e6));
  VT_TRY(auto stream, device.new_stream());
  report.progress("launches", 0.2);
  VT_TRY(auto plain, time_each(device, stream, times, [&] { return device.launch(VT_NAMED(vt_nothing), {}, stream); }));
  report.progress("launches of a graph", 0.6);
  VT_TRY(auto graph, time_graph(device, stream, times));
  VT_TRY(auto wrong, miscounted(device, stream, task.flag("fault")));
  json out{{"wrong", wrong}, {"launches", times}};
  tell(out, "", plain), tell(out, "graph_", graph);
  return out;
}

}  // namespace

/// How long an empty kernel takes from its launch until the host knows that it has run, and a graph of one; args.launches of each.
Outcome launch_latency(const Task& task, gpu::Device& device, Reporter& report) { return outcome(device, measure(task, device, report)); }

}  // namespace vt::checks
