#pragma once
#include <string>

#include "orchestrator/model/check.hpp"
#include "orchestrator/report/layout.hpp"
#include "orchestrator/report/run_view.hpp"

namespace vt {

/// The report a person reads in a terminal: layers with their counts, then what is surprising, then where layers differ,
/// then what was skipped and who covers it, then one sentence. No wall of green.
std::string text_report(const RunView&, const Catalogue&, const TextStyle&);

/// The tone a verdict is shown in.
Tone tone_of(Verdict);
/// What a matrix shows for a cell: "pass", "skip gpu", "no verdict", "-" where the layer was not asked.
std::string cell_text(const RunView&, const ViewCell&);
/// Rows worth comparing: some host failed, warned or broke on them. Empty with a single column.
std::vector<const ViewRow*> telling_rows(const RunView&);

}  // namespace vt
