#pragma once
#include <string>

#include "orchestrator/baseline/measured.hpp"
#include "orchestrator/model/check.hpp"

namespace vt {

/// The catalogue as the Markdown page docs/checks.md, with where each GPU check was last run on hardware.
std::string check_reference(const Catalogue&, const LastMeasurements&);

}  // namespace vt
