#pragma once
#include <string>

#include "orchestrator/model/capability.hpp"

namespace vt {

/// What a provider is sure of before anything exists. What it is not sure of stays unsaid, which counts as unknown.
class Prediction {
 public:
  Prediction& add(std::string id, Value value, std::string evidence, FactScope scope = FactScope::host) {
    facts_.set({std::move(id), std::move(value), std::move(evidence), FactOrigin::predicted, scope});
    return *this;
  }
  [[nodiscard]] Capabilities take() { return std::move(facts_); }

 private:
  Capabilities facts_;
};

/// What every container without privileges lacks, whoever runs it.
Prediction predict_pod();
/// What a virtual machine of one's own has.
Prediction predict_machine(const std::string& hypervisor, const std::string& evidence);

}  // namespace vt
