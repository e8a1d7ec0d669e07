#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/value.hpp"
#include "orchestrator/model/verdict.hpp"

namespace vt::test {

/// One host a check is tried on: what of it differs from this machine, and the verdict that must come out.
struct Case {
  std::string about;  ///< "os.cases.yaml:12"
  Verdict verdict = Verdict::pass;
  std::map<std::string, std::string> files;  ///< absolute path -> content, laid over the real file
  std::map<std::string, std::string> bin;    ///< program -> shell script, found first on PATH
  std::vector<std::string> empty;            ///< folders that show nothing but `files`
  /// GPUs that do not exist, as tests/support/fake_gpus.hpp takes them; null: none. The doubles of NVIDIA's libraries lie where the
  /// loader looks, and the shipped agent runs the check on them:
  ///   gpus: {count: 2}
  ///   cases:
  ///     - {verdict: pass}
  ///     - {verdict: fail, gpus: {gpu: {"1": {nvml: {temperature_c: 95}}}}}
  ///     - {verdict: fail, gpus: {faults: [{kind: wrong-element, gpu: 1, kernel: vt_fill_words, argument: 0}]}}
  nlohmann::json gpus;
  bool nvcc = false;  ///< the agent must have been built with one: its cases are skipped where there was none
  Values args;        ///< over the check's own arguments: sizes that fit here, or fault: true
  /// What the agent's check would return on hardware that no view can show; the check itself is then a unit test's to prove. null: it runs.
  nlohmann::json answer;
  std::string setup;                                  ///< shell script, run as root in the private view before the agent
  std::map<std::string, std::optional<Value>> facts;  ///< capabilities; nullopt = unknown
};

using Cases = std::map<std::string, std::vector<Case>>;  ///< by check id

/// Reads every *.cases.yaml of the folder. Throws std::runtime_error with file and line on anything it does not know.
Cases read_cases(const std::string& folder);

}  // namespace vt::test
