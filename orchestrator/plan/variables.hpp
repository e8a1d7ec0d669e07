#pragma once
#include <map>
#include <set>
#include <string>

#include "orchestrator/plan/node.hpp"

namespace vt {

struct VariableInput {
  std::map<std::string, std::string> set;  ///< replaces vars; taken literally
  std::map<std::string, std::string> environment;
  std::string file;  ///< of the plan, for problems with `set`
};

struct VariableUse {
  std::set<std::string> used, unset;  ///< names of environment variables
};

/// Replaces ${vars.x}, ${env.X} and ${layer.x} in every scalar value of a plan. The text put in is never looked at again.
/// An environment variable that is not set stays as written and makes its scalar `open`. Sets Node::source everywhere.
VariableUse substitute(yaml::Node& plan, const VariableInput&, Problems&);

/// `text` with every "${" written as "$${", so that it reads back as itself.
std::string escape_variables(std::string text);

}  // namespace vt
