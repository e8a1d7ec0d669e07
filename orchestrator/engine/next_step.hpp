#pragma once
#include <string_view>

#include "orchestrator/model/result.hpp"
#include "providers/provider.hpp"

namespace vt {

/// What getting a host does after an attempt did not give one.
enum class NextStep {
  wait_and_retry,  ///< the same candidate, when the provider says
  next,            ///< the next candidate of the plan
  elsewhere,       ///< the same candidate once more, behind the others: it may come from another machine
  stop             ///< nothing the plan allows can help
};

struct StepRule {
  Finding::Kind kind;
  NextStep step;
  std::string_view name;  ///< of the kind, as shown
  std::string_view why;
};

/// One row for every kind of refusal. docs/nothing-leaks.md shows the same table.
const StepRule& rule_for(Finding::Kind);
/// The kind of refusal that an error of waiting for a host stands for.
Finding::Kind kind_of(Errc);
/// The error that a refusal ends a layer with.
Errc code_for(Finding::Kind);

}  // namespace vt
