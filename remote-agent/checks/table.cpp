#include "remote-agent/checks/check.hpp"

#include <algorithm>

namespace vt::checks {

namespace {
/// Arguments become whole numbers of bytes or milliseconds, which must be able to hold them.
constexpr double kLargest = 1e12;

constexpr Entry kChecks[] = {
    {"clock.skew", clock_skew},
    {"cpu.verify", verify_cpu},
    {"disk.verify", verify_disk},
    {"gmem.alloc", nullptr, take_all_memory},
    {"gmem.bandwidth", nullptr, memory_bandwidth},
    {"gmem.test", nullptr, test_memory},
    {"memory.verify", verify_memory},
    {"selftest.group", group},
    {"selftest.values", values},
    {"sleep", nap},
};
}  // namespace

const Entry* find(std::string_view name) {
  for (auto& entry : kChecks)
    if (entry.name == name) return &entry;
  return nullptr;
}

double Task::number(const char* name, double otherwise) const {
  auto at = args.find(name);
  return at != args.end() && at->is_number() ? std::clamp(at->get<double>(), -kLargest, kLargest) : otherwise;
}

std::string Task::text(const char* name) const {
  auto at = args.find(name);
  return at != args.end() && at->is_string() ? at->get<std::string>() : "";
}

bool Task::flag(const char* name) const {
  auto at = args.find(name);
  return at != args.end() && at->is_boolean() && at->get<bool>();
}

}  // namespace vt::checks
