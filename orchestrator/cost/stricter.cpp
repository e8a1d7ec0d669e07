#include <algorithm>

#include "orchestrator/cost/user_config.hpp"

namespace vt {

namespace {

std::optional<Money> smaller(const std::optional<Money>& a, const std::optional<Money>& b) { return a && b ? std::min(*a, *b) : a ? a : b; }

}  // namespace

Caps stricter(const Caps& user, const Budget& plan, const Budget& layer) {
  Caps out = user;
  out.run = smaller(user.run, plan.usd);
  out.layer = smaller(user.layer, layer.usd);
  return out;
}

}  // namespace vt
