#pragma once
#include <map>
#include <string>
#include <vector>

#include "orchestrator/baseline/measured.hpp"
#include "orchestrator/report/run_view.hpp"

namespace vt {

/// The checks of this run that are about a GPU, ran, and were never run on hardware by those who make them.
std::vector<std::string> never_on_hardware(const RunView&, const Catalogue&, const LastMeasurements&);

/// The others of them: on what, and when. "NVIDIA H200, 2026-11-20".
std::map<std::string, std::string> last_on_hardware(const RunView&, const Catalogue&, const LastMeasurements&);

}  // namespace vt
