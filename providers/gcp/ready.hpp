#pragma once
#include <optional>
#include <string>

#include "orchestrator/model/plan.hpp"
#include "orchestrator/model/resource.hpp"
#include "providers/gcp/api.hpp"
#include "providers/gcp/candidates.hpp"

namespace vt::gcp {

/// Watches one instance from its insert operation to the first login. Readiness is that login, never a status.
class ReadyWatch {
 public:
  /// `login`: user, identity and port; address and host key are found out. `public_address`: wait for one.
  ReadyWatch(Api& api, const Resource& r, HostSpec login, bool public_address)
      : api_(api), r_(r), login_(std::move(login)), public_address_(public_address) {}

  /// Errc::capacity, quota, region_quota or refused: the create failed after all; Errc::lost: it is gone; Errc::host_key: another host
  /// answered; Errc::timeout: not ready by the deadline, with how far it came.
  Result<HostSpec> until(Deadline);
  /// What a stock-out recommended; no zones without one.
  [[nodiscard]] const Hint& hint() const { return hint_; }

 private:
  Result<bool> look(Deadline);  ///< whether login_ is complete and works
  Status look_at_operation();
  Result<bool> look_at_instance();
  Result<bool> look_at_host_key();
  Result<bool> log_in(Deadline);
  /// An instance that does not show: gone, or not visible yet.
  Result<bool> absent();

  Api& api_;
  const Resource& r_;
  HostSpec login_;
  bool public_address_;
  bool inserted_ = false, seen_ = false;
  std::string state_ = "no operation is known";  ///< how far it came
  Hint hint_;
};

}  // namespace vt::gcp
