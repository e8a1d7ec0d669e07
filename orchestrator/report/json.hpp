#pragma once
#include <string>

#include "orchestrator/model/check.hpp"
#include "orchestrator/report/run_view.hpp"

namespace vt {

/// The run as one JSON document, schema in docs/report-json.md. Every planned check is in `results` exactly once per host.
std::string json_report(const RunView&, const Catalogue&);

}  // namespace vt
