#pragma once
#include <string>

#include "orchestrator/host/transport.hpp"
#include "orchestrator/model/allocation.hpp"
#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/resource.hpp"
#include "providers/runpod/api.hpp"
#include "providers/runpod/pod_keys.hpp"
#include "providers/runpod/wish.hpp"

namespace vt::runpod {

/// Waits until a pod can be logged in to with our key, shows our host key, and has proved that it can end itself. Ready is what an
/// SSH login says, never a status word.
class Waiting {
 public:
  Waiting(Api& api, const CloudAccess& cloud, const Clock& clock, const Wish& wish)
      : api_(api), cloud_(cloud), clock_(clock), wish_(wish) {}
  /// Errors as Provider::wait_ready() has them.
  Result<Allocation> run(const Resource&, const KnownPod&, Deadline);

 private:
  /// One look. nullopt: not yet, and why_ says what is missing.
  Result<std::optional<Host>> look(const Resource&, const KnownPod&, Deadline);
  Status judge(const Resource&, const Pod&) const;
  Result<std::optional<Host>> enter(const Host&, Deadline);
  /// What the watchdog says at last: "proved …" once it has proved that it can end the pod.
  Result<std::string> read_proof(Transport&, Deadline);

  Api& api_;
  const CloudAccess& cloud_;
  const Clock& clock_;
  const Wish& wish_;
  bool seen_ = false;
  std::string why_ = "RunPod does not show it";
};

}  // namespace vt::runpod
