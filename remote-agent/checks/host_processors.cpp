#include "remote-agent/checks/host_processors.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "remote-agent/base/os.hpp"

namespace vt::checks {

namespace {
constexpr int kMost = 8192;
}

std::vector<int> allowed_processors() {
  auto* set = CPU_ALLOC(kMost);
  std::vector<int> out;
  if (sched_getaffinity(0, CPU_ALLOC_SIZE(kMost), set) == 0)
    for (int cpu = 0; cpu < kMost; cpu++)
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), CPU_ALLOC_SIZE(kMost), set)) out.push_back(cpu);
  CPU_FREE(set);
  return out;
}

bool pin_to(int cpu) {
  auto size = CPU_ALLOC_SIZE(cpu + 1);
  auto* set = CPU_ALLOC(cpu + 1);
  CPU_ZERO_S(size, set);
  CPU_SET_S(static_cast<std::size_t>(cpu), size, set);
  bool done = sched_setaffinity(0, size, set) == 0;
  CPU_FREE(set);
  return done;
}

std::vector<int> numbers_in(const char* list) {
  std::vector<int> out;
  for (char* end = nullptr; *list; list = *end ? end + 1 : end) {
    auto first = std::strtol(list, &end, 10), last = first;
    if (end == list) break;
    if (*end == '-') last = std::strtol(end + 1, &end, 10);
    for (auto n = std::max(0L, first); n <= std::min<long>(last, kMost); n++) out.push_back(static_cast<int>(n));
  }
  return out;
}

std::vector<std::vector<int>> allowed_by_node() {
  auto allowed = allowed_processors();
  std::vector<std::vector<int>> out;
  for (auto node : numbers_in(agent::read_file("/sys/devices/system/node/online").c_str())) {
    auto here = numbers_in(agent::read_file("/sys/devices/system/node/node" + std::to_string(node) + "/cpulist").c_str());
    std::erase_if(here, [&](int cpu) { return std::find(allowed.begin(), allowed.end(), cpu) == allowed.end(); });
    if (!here.empty()) out.push_back(here);
  }
  if (out.empty() && !allowed.empty()) out.push_back(allowed);
  return out;
}

}  // namespace vt::checks
