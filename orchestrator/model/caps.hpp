#pragma once
#include <optional>

#include "orchestrator/model/money.hpp"

namespace vt {

/// Hard limits that a new host must fit under: what is spent and what is reserved, together with its own reservation. The
/// stricter of a plan's `budget:` and the user's own configuration wins.
struct Caps {
  std::optional<Money> run, layer;  ///< of this run, of this layer in this run
  std::optional<Money> day, month;  ///< of everything created since midnight UTC, since the first of the month, and of all that is open now
  std::optional<Money> rate;        ///< of everything that is open now, per hour
};

}  // namespace vt
