#pragma once
#include <memory>

#include "orchestrator/report/progress.hpp"

namespace vt {

/// Repaints one line per layer at the bottom of a terminal; what is urgent scrolls by above and stays. No line is wider than
/// the terminal, or moving back up would miss.
std::unique_ptr<ProgressWriter> make_live(const TextStyle&, bool rehearsal);

}  // namespace vt
