#include "orchestrator/report/skips.hpp"

#include <algorithm>

#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

using Fate = SkipList::Fate;
using Labels = std::vector<std::string>;

/// One check, skipped on some columns for one reason.
struct Skipped {
  std::string capability, evidence;
  const ViewRow* row = nullptr;
  Labels where;
  const ViewCell* cell = nullptr;
};

/// The skips of one check by reason.
std::vector<Skipped> skips_of(const RunView& view, const ViewRow& row) {
  std::vector<Skipped> out;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    auto j = row.cells[i].deciding();
    if (!j || j->verdict != Verdict::skip) continue;
    auto evidence = j->evidence.empty() && j->capability.empty() ? j->reason : j->evidence;
    auto same = [&](auto& s) { return s.capability == j->capability && s.evidence == evidence; };
    auto at = std::find_if(out.begin(), out.end(), same);
    if (at == out.end()) at = out.insert(at, Skipped{j->capability, evidence, &row, {}, &row.cells[i]});
    at->where.push_back(view.columns[i].label);
  }
  return out;
}

SkipGroup& group_of(std::vector<SkipGroup>& groups, const Skipped& skipped) {
  auto same = [&](auto& g) { return g.capability == skipped.capability && g.evidence == skipped.evidence; };
  auto at = std::find_if(groups.begin(), groups.end(), same);
  if (at == groups.end()) at = groups.insert(at, SkipGroup{skipped.capability, skipped.evidence, {}, {}});
  for (auto& label : skipped.where)
    if (std::find(at->where.begin(), at->where.end(), label) == at->where.end()) at->where.push_back(label);
  return *at;
}

void add(SkipGroup& group, const Skipped& skipped) {
  auto& by = skipped.cell->covered_by;
  auto fate = !by.empty() ? Fate::covered : skipped.row->severity == Severity::info ? Fate::unmeasured : Fate::unproven;
  auto same = [&](auto& l) { return l.fate == fate && l.covered_by == by && l.where == skipped.where; };
  auto at = std::find_if(group.lists.begin(), group.lists.end(), same);
  if (at == group.lists.end()) at = group.lists.insert(at, SkipList{fate, by, skipped.where, {}});
  at->checks.push_back(skipped.row->check);
}

}  // namespace

std::string SkipList::heading() const {
  auto what = fate == Fate::covered ? "covered by " + join(covered_by, ", ") : fate == Fate::unproven ? "UNPROVEN" : "not measured";
  return what + (where.empty() ? "" : " (skipped on " + join(where, ", ") + ")");
}

std::vector<SkipGroup> skip_groups(const RunView& view) {
  std::vector<SkipGroup> out;
  for (auto& row : view.rows)
    for (auto& skipped : skips_of(view, row)) add(group_of(out, skipped), skipped);
  for (auto& group : out) {
    std::stable_sort(group.lists.begin(), group.lists.end(), [](auto& a, auto& b) { return a.fate < b.fate; });
    for (auto& list : group.lists)
      if (list.where.size() == group.where.size()) list.where.clear();
  }
  return out;
}

}  // namespace vt
