#pragma once
#include <map>
#include <string>

#include "orchestrator/model/check.hpp"

namespace vt {

/// Where and when a check of this catalogue was last run on hardware by those who make it.
struct LastMeasured {
  std::string device, date;
};
/// By check id: plans/measured.yaml. A check that is not in it was never run on hardware.
using LastMeasurements = std::map<std::string, LastMeasured>;

struct LoadedMeasurements {
  LastMeasurements last;
  Problems problems;
};
/// A file that is not there is empty.
LoadedMeasurements load_measurements(const std::string& file);

/// Whether the check is about a GPU, its driver or its libraries, so that only a host with one can have shown that it works.
bool needs_a_gpu(const Check&);

}  // namespace vt
