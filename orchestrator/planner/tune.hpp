#pragma once
#include "orchestrator/model/check.hpp"
#include "orchestrator/model/plan.hpp"

namespace vt {

/// The check as it runs in this layer at this level: the catalogue's row; over it what its `levels` say for this level, or for the
/// nearest one below that they mention; over that the layer's `burn:` as args.seconds where the row says `burn: true` (timeout and
/// typical move by the same time); over all of it the layer's `params`.
Check tuned(const Check&, const Layer&, Level);
/// As short as the row goes, whatever the layer wants: the quick level without `burn:`. For hosts that only stand in.
Check brief(const Check&, const Layer&);

}  // namespace vt
