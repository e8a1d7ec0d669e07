#include <nlohmann/json.hpp>

#include "remote-agent/checks/check.hpp"

namespace vt::checks {

namespace {

/// A checker that can be asked to prove itself: with args.fault it turns over one bit of its own data and must then say wrong >= 1.
struct Checker {
  const char* name;
  Outcome (*run)(const Task&, gpu::Device&, Reporter&);
  const char* args;  ///< what makes it small
};

/// The checker of disks needs no GPU, and to be proven no disk.
Outcome disk_of_host(const Task& task, gpu::Device&, Reporter& report) { return verify_disk(task, report); }

/// One per way of verifying, in the order in which they run. A value of the check env.selftest each, so a new one needs its line there.
constexpr Checker kCheckers[] = {
    {"memory", test_memory, R"({"mib": 64, "patterns": "random"})"},
    {"bandwidth", memory_bandwidth, R"({"mib": 64, "samples": 1})"},
    {"host_copy", copy_to_host, R"({"mib": 8, "samples": 1})"},
    {"device_copy", copy_to_device, R"({"mib": 8, "samples": 1})"},
    {"links", links_of_one, R"({"mib": 1})"},
    {"gemm", gemm_correct, R"({"size": 256, "repeats": 1, "type": "fp32"})"},
    {"repeat", gemm_repeat, R"({"size": 256, "repeats": 2})"},
    {"coverage", sm_coverage, R"({"blocks": 1, "seconds": 0})"},
    {"all_reduce", verify_collective, "{}"},
    {"disk", disk_of_host, R"({"mib": 4, "dir": "/tmp"})"},
};

/// "found", "missed", or why it could not run, which is no proof either.
std::string prove(const Checker& checker, const Task& task, gpu::Device& device, Reporter& report) {
  Task small = task;
  small.args = nlohmann::json::parse(checker.args);
  small.args["fault"] = true;
  if (task.on_cpu()) small.args["device"] = "cpu", small.args["mib"] = 2;
  auto out = checker.run(small, device, report);
  if (!out.error.empty()) return "not run: " + out.error;
  auto wrong = out.values.find("wrong");
  return wrong != out.values.end() && wrong->is_number() && wrong->get<double>() >= 1 ? "found" : "missed";
}

}  // namespace

/// Has every checker look for one flipped bit. A run in which one misses it proves nothing.
Outcome prove_checkers(const Task& task, gpu::Device& device, Reporter& report) {
  Outcome out{nlohmann::json::object(), device.info().uuid, ""};
  double done = 0;
  for (auto& checker : kCheckers) {
    report.progress(checker.name, done++ / std::size(kCheckers));
    out.values[checker.name] = prove(checker, task, device, report);
  }
  return out;
}

}  // namespace vt::checks
