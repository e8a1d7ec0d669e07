#pragma once
#include <optional>

#include "orchestrator/model/expectation.hpp"
#include "orchestrator/plan/node.hpp"

namespace vt {

/// What stands behind `expect`, in plans and in the catalogue, checked against the type of the value it is for:
/// a scalar (equals), the bare word `any`, or a map of one key ("at-least", …, or "any-of" around one of them).
std::optional<Expectation> read_expectation(const yaml::Node&, ValueType, Problems&);

}  // namespace vt
