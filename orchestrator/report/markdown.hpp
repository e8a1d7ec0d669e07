#pragma once
#include <string>

#include "orchestrator/model/check.hpp"
#include "orchestrator/report/run_view.hpp"

namespace vt {

/// A comment for a pull request: the sentence, the layers, the surprises, and the rest folded away. What hosts said is
/// shown as code only, so that it can neither format, link nor mention.
std::string markdown_report(const RunView&, const Catalogue&);

}  // namespace vt
