#include "remote-agent/checks/numa_home.hpp"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "remote-agent/base/os.hpp"

namespace vt::checks {

namespace {

/// "0-3,8-11" as a set.
cpu_set_t processors_of(const std::string& list) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const char* at = list.c_str(); *at >= '0' && *at <= '9';) {
    char* next = nullptr;
    auto first = std::strtoul(at, &next, 10), last = first;
    if (*next == '-') last = std::strtoul(next + 1, &next, 10);
    for (auto cpu = first; cpu <= last && cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &set);
    at = *next == ',' ? next + 1 : next;
  }
  return set;
}

}  // namespace

NumaHome::NumaHome(int node) {
  if (node < 0 || node >= 64) return;
  auto set = processors_of(agent::read_file("/sys/devices/system/node/node" + std::to_string(node) + "/cpulist"));
  if (CPU_COUNT(&set) > 0) sched_setaffinity(0, sizeof set, &set);  // this process is the check's own, and ends with it
  unsigned long nodes = 1UL << node;
  policy_ = syscall(SYS_set_mempolicy, MPOL_PREFERRED, &nodes, 65) == 0;
}

NumaHome::~NumaHome() {
  if (policy_) syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0);
}

int numa_node_of(const void* at) {
  int node = -1;
  return syscall(SYS_get_mempolicy, &node, nullptr, 0, at, MPOL_F_NODE | MPOL_F_ADDR) == 0 ? node : -1;
}

}  // namespace vt::checks
