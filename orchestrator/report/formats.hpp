#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/check.hpp"
#include "orchestrator/report/run_view.hpp"

namespace vt {

/// "text", "json", "junit", "markdown", "ocp": what `report --format` takes.
const std::vector<std::string>& report_formats();
/// The run in that format; `text` without colour at 100 columns. Errc::usage for an unknown format.
Result<std::string> render(const std::string& format, const RunView&, const Catalogue&);

}  // namespace vt
