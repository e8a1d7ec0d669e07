#pragma once
#include <string>

#include "orchestrator/plan/node.hpp"

namespace vt::yaml {

/// One YAML document that reads back as the same tree, written from each scalar's `source`.
std::string write(const Node&);

}  // namespace vt::yaml
