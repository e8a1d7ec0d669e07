#include "orchestrator/cli/hardware.hpp"

#include <algorithm>

namespace vt {

namespace {

bool ran(const ViewRow& row) {
  auto said = [](const Judgement& j) { return proves(j.verdict) || j.verdict == Verdict::info; };
  return std::any_of(row.cells.begin(), row.cells.end(),
                     [&](auto& cell) { return std::any_of(cell.judgements.begin(), cell.judgements.end(), said); });
}

}  // namespace

std::vector<std::string> never_on_hardware(const RunView& view, const Catalogue& catalogue, const LastMeasurements& last) {
  std::vector<std::string> out;
  for (auto& row : view.rows)
    if (auto check = catalogue.check(row.check); check && needs_a_gpu(*check) && ran(row) && !last.contains(row.check))
      out.push_back(row.check);
  return out;
}

}  // namespace vt
