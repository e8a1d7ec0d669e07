#include <algorithm>
#include <cstring>

#include "remote-agent/checks/chain.hpp"
#include "remote-agent/checks/numa_home.hpp"
#include "remote-agent/checks/outcome.hpp"
#include "remote-agent/checks/samples.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;

/// 2 MiB, as nvbandwidth's latency tests use.
Result<json> run(gpu::Device& device, const Task& task) {
  constexpr std::size_t kBytes = 2 * 1024 * 1024;
  NumaHome home(device.info().numa_node);
  Chain chain(kBytes);
  VT_TRY(auto host, device.allocate(kBytes, gpu::Place::pinned));
  std::memcpy(host.as<void>(), chain.words().data(), kBytes);
  if (task.flag("fault")) host.as<std::uint64_t>()[0] = 0;
  auto steps = static_cast<std::uint64_t>(std::clamp(task.number("steps", task.on_cpu() ? 20'000 : 100'000), 1.0, 1e9));
  std::vector<double> ns;
  int wrong = 0;
  for (int i = 0; i < 5; ++i) {
    VT_TRY(auto chased, chase(device, chain, host.as<void>(), steps));
    if (i > 0) ns.push_back(1e9 * chased.seconds_per_step);  // the first one warms the address translation
    wrong += chased.right ? 0 : 1;
  }
  return json{
      {"value", spread(ns).median}, {"cv_pct", 100 * spread(ns).cv}, {"wrong", wrong}, {"host_node", numa_node_of(host.as<void>())}};
}

}  // namespace

/// How long one read of the host's memory takes from the device.
Outcome pcie_latency(const Task& task, gpu::Device& device, Reporter&) { return outcome(device, run(device, task)); }

}  // namespace vt::checks
