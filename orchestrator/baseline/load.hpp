#pragma once
#include <string>
#include <vector>

#include "orchestrator/baseline/baseline.hpp"
#include "orchestrator/model/source_location.hpp"

namespace vt {

struct LoadedBaselines {
  Baselines baselines;
  Problems problems;  ///< non-empty: do not use them
};

/// Reads every *.yaml of these folders, in order; one that is not there is empty. The format is in docs/baselines.md.
LoadedBaselines load_baselines(const std::vector<std::string>& folders);

}  // namespace vt
