#include "orchestrator/planner/stages.hpp"

#include <algorithm>

#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

using Stages = std::map<std::string, int>;

/// The stage after the layer's last gate; 0 while a gate in `waiting` has none yet.
int stage_of(const Layer& layer, const Stages& done, const std::set<std::string>& waiting) {
  int stage = 1;
  for (auto& gate : layer.after) {
    if (waiting.count(gate.layer)) return 0;
    if (auto at = done.find(gate.layer); at != done.end()) stage = std::max(stage, at->second + 1);
  }
  return stage;
}

}  // namespace

Status assign_stages(std::vector<LayerPlan>& layers) {
  std::set<std::string> waiting;
  for (auto& l : layers) waiting.insert(l.layer->name);
  Stages done;
  while (!waiting.empty()) {
    auto before = waiting.size();
    for (auto& l : layers) {
      if (!waiting.count(l.layer->name)) continue;
      int stage = stage_of(*l.layer, done, waiting);
      if (stage == 0) continue;
      l.stage = done[l.layer->name] = stage;
      waiting.erase(l.layer->name);
    }
    if (waiting.size() == before)
      return fail(Errc::usage,
                  "layers wait for each other: " + join({waiting.begin(), waiting.end()}, ", ") + "; expected `after` without a cycle");
  }
  return {};
}

Span longest_path(const std::vector<LayerPlan>& layers) {
  std::vector<const LayerPlan*> by_stage;
  for (auto& l : layers) by_stage.push_back(&l);
  std::stable_sort(by_stage.begin(), by_stage.end(), [](auto a, auto b) { return a->stage < b->stage; });
  std::map<std::string, Span> ends;
  Span total;
  for (auto l : by_stage) {
    Span& end = ends[l->layer->name];
    for (auto& gate : l->layer->after)
      if (auto at = ends.find(gate.layer); at != ends.end()) end = {std::max(end.low, at->second.low), std::max(end.high, at->second.high)};
    end.low += l->low, end.high += l->high;
    total = {std::max(total.low, end.low), std::max(total.high, end.high)};
  }
  return total;
}

}  // namespace vt
