#pragma once
#include <vector>

namespace vt::checks {

/// The processors this process may run on, in the kernel's order; empty if the kernel does not say.
std::vector<int> allowed_processors();
/// Ties the calling thread to one of them.
bool pin_to(int cpu);
/// The processors of each memory node that are allowed here, nodes without any left out. One list of all where the kernel knows no nodes.
std::vector<std::vector<int>> allowed_by_node();
/// "0-3,8" -> 0 1 2 3 8, as the kernel writes lists of processors and nodes; what is no number is left out.
std::vector<int> numbers_in(const char* list);

}  // namespace vt::checks
