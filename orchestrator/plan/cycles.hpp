#pragma once
#include <map>
#include <string>
#include <vector>

namespace vt {

using Graph = std::map<std::string, std::vector<std::string>>;
/// Every cycle once, as a path that ends where it began; a node that points at itself is [a, a]. Deterministic.
std::vector<std::vector<std::string>> cycles(const Graph&);

}  // namespace vt
