#pragma once
#include <map>
#include <optional>
#include <string>

#include "orchestrator/model/money.hpp"
#include "orchestrator/model/resource.hpp"
#include "orchestrator/model/result.hpp"
#include "providers/json.hpp"

namespace vt::runpod {

/// As observed by RunPod. A word this version does not know is `unknown`: it says nothing, least of all that the pod is gone.
enum class PodStatus { provisioning, starting, running, exited, error, terminated, unknown };

struct SshEndpoint {
  std::string host, user;
  int port = 0;
};

/// The parts of a pod that we use. Of its environment only the variables VT_*: the others may be anybody's secrets.
struct Pod {
  std::string id, name, data_center, cloud, gpu, cuda;
  PodStatus status = PodStatus::unknown;
  std::string status_text;
  std::optional<int> gpu_count;              ///< as ordered
  std::optional<int> gpus_seen;              ///< as its host reports them, once it does
  std::optional<SshEndpoint> ssh;            ///< once port 22 has a public address
  Money hourly;                              ///< what is billed now
  std::map<std::string, std::string> marks;  ///< VT_* but for the keys

  /// It runs no more and will not by itself: why, else empty.
  [[nodiscard]] std::string ended() const;
};

/// Errc::transport if it is no pod: without an id that can stand in a URL.
Result<Pod> read_pod(const Json&);

/// Whether the pod carries the mark of the installation; of any, if `install` is empty.
bool has_mark(const Pod&, const std::string& install);
/// The pod as the ledger knows such things, for proving or disproving that it is ours.
Resource resource_of(const Pod&);

}  // namespace vt::runpod
