#include "remote-agent/checks/check.hpp"

namespace vt::checks {

namespace {
constexpr Entry kChecks[] = {
    {"clock.skew", clock_skew},
    {"cpu.verify", verify_cpu},
    {"disk.verify", verify_disk},
    {"memory.verify", verify_memory},
    {"selftest.group", group},
    {"selftest.values", values},
    {"sleep", nap},
};
}

const Entry* find(std::string_view name) {
  for (auto& entry : kChecks)
    if (entry.name == name) return &entry;
  return nullptr;
}

double Task::number(const char* name, double otherwise) const {
  auto at = args.find(name);
  return at != args.end() && at->is_number() ? at->get<double>() : otherwise;
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
