#pragma once

namespace vt::checks {

/// While it lives, this thread runs on the processors of a NUMA node and gets its memory from there, as far as the kernel lets it
/// (containers may forbid it): between a GPU and the far node there is a link more. Unknown node (-1): changes nothing.
class NumaHome {
 public:
  explicit NumaHome(int node);
  ~NumaHome();
  NumaHome(const NumaHome&) = delete;
  NumaHome& operator=(const NumaHome&) = delete;

 private:
  bool policy_ = false;
};

/// The node that the page at this address is on; -1 if that cannot be known.
int numa_node_of(const void* at);

}  // namespace vt::checks
