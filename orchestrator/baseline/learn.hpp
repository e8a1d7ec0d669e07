#pragma once
#include <string>
#include <vector>

#include "orchestrator/baseline/baseline.hpp"
#include "orchestrator/model/capability.hpp"
#include "orchestrator/model/check.hpp"
#include "orchestrator/model/observation.hpp"
#include "orchestrator/model/result.hpp"

namespace vt {

/// One check on one host of a run, with what is known of that host.
struct Learnable {
  const Check* check = nullptr;
  Observation seen;
  Verdict verdict = Verdict::error;
  const Capabilities* host = nullptr;
};

/// A baseline per GPU model out of a run's own figures: the values that name a baseline, of checks that did not fail, measured on real
/// GPUs; over several GPUs and hosts from the lowest to the highest. Errc::refused if there are none.
Result<std::vector<GpuBaseline>> learn(const std::vector<Learnable>&, const std::string& run, const std::string& date);

/// As a file that load_baselines() reads.
std::string baseline_yaml(const GpuBaseline&);

}  // namespace vt
