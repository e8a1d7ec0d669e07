#include <algorithm>
#include <functional>
#include <map>

#include "orchestrator/model/text.hpp"
#include "orchestrator/plan/cycles.hpp"
#include "orchestrator/plan/plan_context.hpp"
#include "orchestrator/plan/problems.hpp"

namespace vt {

namespace {

/// Where layer `from` names layer `to` under `after`.
SourceLocation gate_place(const yaml::Node& layers, const std::string& from, const std::string& to) {
  auto layer = layers.find(from);
  auto after = layer ? layer->find("after") : nullptr;
  if (!after) return layers.where;
  for (auto& entry : after->entries)
    if (entry.key == to) return entry.where;
  for (auto& item : after->items)
    if (item.text == to) return item.where;
  return after->where;
}

}  // namespace

void check_gates(const yaml::Node& layers, const std::vector<Layer>& all, PlanContext& context) {
  std::vector<std::string> names;
  for (auto& layer : all) names.push_back(layer.name);
  Graph graph;
  for (auto& layer : all) {
    for (auto& gate : layer.after) {
      graph[layer.name].push_back(gate.layer);
      if (std::find(names.begin(), names.end(), gate.layer) == names.end())
        complain(context.problems, gate_place(layers, layer.name, gate.layer),
                 "no layer " + in_quotes(gate.layer) + " to wait for" + expected_one_of(gate.layer, names));
    }
  }
  for (auto& cycle : cycles(graph)) {
    auto what =
        cycle.size() == 2 ? "layer " + in_quotes(cycle[0]) + " waits for itself" : "layers wait for each other: " + join(cycle, " -> ");
    complain(context.problems, gate_place(layers, cycle[0], cycle[1]), what + "; expected no cycle");
  }
}

}  // namespace vt
