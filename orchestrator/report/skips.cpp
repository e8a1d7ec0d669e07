#include "orchestrator/report/skips.hpp"

#include <algorithm>

#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

struct Skipped {
  std::string capability, evidence;
  std::vector<std::size_t> columns;
  std::vector<const ViewRow*> rows;
};

/// One column's skips by reason.
std::vector<Skipped> skipped_on(const RunView& view, std::size_t column) {
  std::vector<Skipped> out;
  for (auto& row : view.rows) {
    auto judgement = row.cells[column].deciding();
    if (!judgement || judgement->verdict != Verdict::skip) continue;
    auto evidence = judgement->evidence.empty() && judgement->capability.empty() ? judgement->reason : judgement->evidence;
    auto same = [&](auto& s) { return s.capability == judgement->capability && s.evidence == evidence; };
    auto at = std::find_if(out.begin(), out.end(), same);
    if (at == out.end()) at = out.insert(at, Skipped{judgement->capability, evidence, {column}, {}});
    at->rows.push_back(&row);
  }
  return out;
}

SkipGroup group_of(const RunView& view, const Skipped& skipped) {
  SkipGroup out;
  out.capability = skipped.capability, out.evidence = skipped.evidence;
  for (auto column : skipped.columns) out.where.push_back(view.columns[column].label);
  for (auto row : skipped.rows) {
    auto& covered_by = row->cells[skipped.columns.front()].covered_by;
    if (!covered_by.empty()) out.covered[join(covered_by, ", ")].push_back(row->check);
    else (row->severity == Severity::info ? out.unmeasured : out.unproven).push_back(row->check);
  }
  return out;
}

}  // namespace

std::vector<SkipGroup> skip_groups(const RunView& view) {
  std::vector<Skipped> merged;
  for (std::size_t column = 0; column < view.columns.size(); ++column)
    for (auto& skipped : skipped_on(view, column)) {
      auto same = [&](auto& s) { return s.capability == skipped.capability && s.evidence == skipped.evidence && s.rows == skipped.rows; };
      auto at = std::find_if(merged.begin(), merged.end(), same);
      if (at == merged.end()) merged.push_back(skipped);
      else at->columns.push_back(column);
    }
  std::vector<SkipGroup> out;
  for (auto& skipped : merged) out.push_back(group_of(view, skipped));
  return out;
}

}  // namespace vt
