#pragma once
#include <string>

#include "orchestrator/model/result.hpp"

namespace vt {

/// 1 MiB set aside beside the ledger. On a full disk it is given up, so that what already costs money can still be
/// recorded as given back. Internal to the store.
class Ballast {
 public:
  explicit Ballast(const std::string& folder) : path_(folder + "/ledger.ballast") {}
  /// Errc::disk_full if there is no room for it.
  [[nodiscard]] Status fill() const;
  /// Gives the space back to the file system; false if there was none to give.
  [[nodiscard]] bool release() const;

 private:
  std::string path_;
};

}  // namespace vt
