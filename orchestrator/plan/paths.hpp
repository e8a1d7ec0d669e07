#pragma once
#include <map>
#include <string>

#include "orchestrator/plan/node.hpp"

namespace vt {

/// Makes every path of a plan absolute and normal: relative ones count from the file they are written in, "~/" from $HOME.
/// A path with an unset variable in it stays as written.
void make_paths_absolute(yaml::Node& plan, const std::map<std::string, std::string>& environment, Problems&);

}  // namespace vt
