#include "orchestrator/model/capability.hpp"

namespace vt {

void Capabilities::set(Fact fact) {
  auto id = fact.id;
  facts_.insert_or_assign(std::move(id), std::move(fact));
}

const Fact* Capabilities::find(std::string_view id) const {
  auto at = facts_.find(id);
  return at == facts_.end() ? nullptr : &at->second;
}

std::vector<Difference> differences(const Capabilities& predicted, const Capabilities& probed) {
  std::vector<Difference> out;
  for (auto& [id, fact] : predicted.all()) {
    auto seen = probed.find(id);
    if (fact.value && seen && seen->value && *fact.value != *seen->value) out.push_back({fact, *seen});
  }
  return out;
}

std::string_view name(FactOrigin o) { return o == FactOrigin::predicted ? "predicted" : o == FactOrigin::declared ? "declared" : "probed"; }
std::string_view name(FactScope s) { return s == FactScope::login ? "login" : "host"; }

}  // namespace vt
