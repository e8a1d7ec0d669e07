#include "orchestrator/cli/hardware.hpp"

#include <algorithm>

namespace vt {

namespace {

bool ran(const ViewRow& row) {
  auto said = [](const Judgement& j) { return proves(j.verdict) || j.verdict == Verdict::info; };
  return std::any_of(row.cells.begin(), row.cells.end(),
                     [&](auto& cell) { return std::any_of(cell.judgements.begin(), cell.judgements.end(), said); });
}

/// About a GPU, and ran.
std::vector<std::string> gpu_checks_of(const RunView& view, const Catalogue& catalogue) {
  std::vector<std::string> out;
  for (auto& row : view.rows)
    if (auto check = catalogue.check(row.check); check && needs_a_gpu(*check) && ran(row)) out.push_back(row.check);
  return out;
}

}  // namespace

std::vector<std::string> never_on_hardware(const RunView& view, const Catalogue& catalogue, const LastMeasurements& last) {
  auto out = gpu_checks_of(view, catalogue);
  std::erase_if(out, [&](auto& id) { return last.contains(id); });
  return out;
}

std::map<std::string, std::string> last_on_hardware(const RunView& view, const Catalogue& catalogue, const LastMeasurements& last) {
  std::map<std::string, std::string> out;
  for (auto& id : gpu_checks_of(view, catalogue))
    if (auto at = last.find(id); at != last.end()) out[id] = at->second.device + ", " + at->second.date;
  return out;
}

}  // namespace vt
