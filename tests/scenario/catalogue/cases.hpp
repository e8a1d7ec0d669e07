#pragma once
#include <map>
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
  std::map<std::string, std::string> files;           ///< absolute path -> content, laid over the real file
  std::map<std::string, std::string> bin;             ///< program -> shell script, found first on PATH
  std::vector<std::string> empty;                     ///< folders that show nothing but `files`
  std::string setup;                                  ///< shell script, run as root in the private view before the agent
  std::map<std::string, std::optional<Value>> facts;  ///< capabilities; nullopt = unknown
};

using Cases = std::map<std::string, std::vector<Case>>;  ///< by check id

/// Reads every *.cases.yaml of the folder. Throws std::runtime_error with file and line on anything it does not know.
Cases read_cases(const std::string& folder);

}  // namespace vt::test
