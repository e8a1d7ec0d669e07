#pragma once
#include <map>
#include <string>

#include "orchestrator/model/caps.hpp"
#include "orchestrator/model/plan.hpp"
#include "orchestrator/model/source_location.hpp"

namespace vt {

/// What the user allows whatever a plan says, described in docs/cost-and-budget.md:
///   caps: {run: $5, layer: $2, day: $20, month: $100, rate: $10}
struct UserConfig {
  Caps caps;
  std::string path;   ///< where it was looked for
  Problems problems;  ///< all of them; non-empty means nothing that costs money may be started
};

/// $VAULT_TEST_CONFIG, else $XDG_CONFIG_HOME/vault-test/config.yaml, else ~/.config/vault-test/config.yaml. No file is no caps, but
/// a file that $VAULT_TEST_CONFIG names must be there.
UserConfig load_user_config(const std::map<std::string, std::string>& environment);

/// The caps one layer runs under: of the user's own, the plan's `budget:` and the layer's the smaller of each.
Caps stricter(const Caps& user, const Budget& plan, const Budget& layer);

}  // namespace vt
