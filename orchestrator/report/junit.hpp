#pragma once
#include <string>

#include "orchestrator/model/check.hpp"
#include "orchestrator/report/run_view.hpp"

namespace vt {

/// JUnit XML: a suite per layer, a case per check and host. fail is a failure; error, blocked, cancelled and a missing
/// verdict are errors; a skip carries its reason and who covers it; a warning passes with its text as output.
std::string junit_report(const RunView&, const Catalogue&);

/// Text for an XML document: escaped, well-formed UTF-8, without characters XML 1.0 forbids.
std::string xml_text(std::string_view);

}  // namespace vt
