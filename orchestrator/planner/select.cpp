#include <algorithm>

#include "orchestrator/model/text.hpp"
#include "orchestrator/planner/run_plan.hpp"

namespace vt {

namespace {

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// The ids a layer asks for, in its order; suites and single checks the selection leaves out are missing.
std::vector<std::string> wanted_ids(const Layer& layer, const Catalogue& catalogue, const Selection& selection) {
  std::vector<std::string> ids;
  for (auto& name : layer.suites) {
    auto suite = catalogue.suite(name);
    if (suite && (selection.suites.empty() || contains(selection.suites, name)))
      ids.insert(ids.end(), suite->checks.begin(), suite->checks.end());
  }
  if (selection.suites.empty()) ids.insert(ids.end(), layer.checks.begin(), layer.checks.end());
  return ids;
}

bool selected(const Check& check, Level level, const std::vector<std::string>& globs) {
  if (check.level > level) return false;
  return globs.empty() || std::any_of(globs.begin(), globs.end(), [&](auto& glob) { return glob_match(glob, check.id); });
}

/// Appends a check behind everything it depends on. A dependency comes along whatever the selection says: without
/// it the check would be judged on ground nobody looked at.
void append(const Check& check, const Catalogue& catalogue, std::set<const Check*>& seen, std::vector<const Check*>& out) {
  if (!seen.insert(&check).second) return;
  for (auto& id : check.after)
    if (auto before = catalogue.check(id)) append(*before, catalogue, seen, out);
  out.push_back(&check);
}

}  // namespace

std::vector<const Check*> select_checks(const Layer& layer, const Catalogue& catalogue, const Selection& selection) {
  std::vector<const Check*> out;
  std::set<const Check*> seen;
  for (auto& id : wanted_ids(layer, catalogue, selection)) {
    auto check = catalogue.check(id);
    if (check && selected(*check, selection.level.value_or(layer.level), selection.checks)) append(*check, catalogue, seen, out);
  }
  return out;
}

}  // namespace vt
