#include <algorithm>
#include <vector>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/host_files.hpp"
#include "remote-agent/checks/host_processors.hpp"

namespace vt::checks {

namespace {

struct Gpu {
  std::string pci, processors;
  int node = -1;
};

/// Display controllers (class 03) of vendor 10de, in the order of their addresses.
std::vector<Gpu> gpus_on_the_bus() {
  std::vector<Gpu> out;
  for (auto& address : names_in("/sys/bus/pci/devices")) {
    auto device = "/sys/bus/pci/devices/" + address;
    if (line_of(device + "/vendor") != "0x10de" || !line_of(device + "/class").starts_with("0x03")) continue;
    out.push_back({address, line_of(device + "/local_cpulist"), static_cast<int>(number_of(device + "/numa_node").value_or(-1))});
  }
  return out;
}

std::string told(const Gpu& gpu, std::size_t nodes) {
  auto near = gpu.processors.empty() ? "" : ", processors " + gpu.processors;
  if (gpu.node >= 0) return gpu.pci + ": node " + std::to_string(gpu.node) + near;
  return gpu.pci + ": no node named by the firmware" + (nodes > 1 ? " (numa_node -1)" : ", and there is only one") + near;
}

}  // namespace

/// Which memory node and processors each GPU is next to. `unplaced` counts the GPUs of which a machine with several nodes does not say it:
/// their copies to the host run over whichever link the scheduler happens to choose.
Outcome gpu_placement(const Task&, Reporter&) {
  auto gpus = gpus_on_the_bus();
  if (gpus.empty()) return {{}, "", "no NVIDIA GPU on the PCI bus"};
  auto nodes = std::max<std::size_t>(1, numbers_in(line_of("/sys/devices/system/node/online").c_str()).size());
  auto unplaced = nodes > 1 ? std::count_if(gpus.begin(), gpus.end(), [](auto& gpu) { return gpu.node < 0; }) : 0;
  std::vector<std::string> placement;
  for (auto& gpu : gpus) placement.push_back(told(gpu, nodes));
  return {{{"placement", placement}, {"unplaced", unplaced}, {"nodes", nodes}}, "", ""};
}

}  // namespace vt::checks
