#pragma once
#include <string>

#include "orchestrator/model/check.hpp"
#include "orchestrator/report/run_view.hpp"

namespace vt {

/// The run as JSON lines of the Open Compute Project's test output, schema 2.0 (opencomputeproject/ocp-diag-core, json_spec): one
/// test run, one step per check and host with its measurements, series, diagnosis or error.
std::string ocp_report(const RunView&, const Catalogue&);

}  // namespace vt
