#pragma once
#include <string>

namespace vt {

/// What is under test: a repository at a commit. Every result carries it.
struct Subject {
  std::string path;    ///< absolute path of the work tree; empty: the plan names none
  std::string commit;  ///< full id; empty if unknown
  bool dirty = false;  ///< uncommitted or untracked changes
  std::string digest;  ///< SHA-256 over commit and the uncommitted changes: equal digests = same subject
  std::string image;   ///< the image built from it, where one was
  bool operator==(const Subject&) const = default;
};

}  // namespace vt
