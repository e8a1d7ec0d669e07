#include "orchestrator/cli/ledger_view.hpp"

#include "orchestrator/cost/billing.hpp"

namespace vt {

void apply_ledger(RunView& view, const std::vector<Resource>& rows, EpochMs now) {
  view.open_resources.clear();
  view.spent = {}, view.created = 0;
  for (auto& layer : view.layers) layer.spent = {};
  for (auto& row : rows) {
    if (is_open(row.state) && !row.keep) view.open_resources.push_back(row.owner.name);
    if (row.state != ResourceState::refused && row.state != ResourceState::presumed_absent) ++view.created;
    auto cost = is_open(row.state) ? cost_until(row, now) : row.cost;
    view.spent += cost;
    for (auto& layer : view.layers)
      if (layer.row.name == row.layer) layer.spent += cost;
  }
}

}  // namespace vt
