#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/result.hpp"
#include "providers/container/view.hpp"

namespace vt {

/// Docker's default capabilities, lower case without "cap_": the mask 0xa80425fb.
const std::vector<std::string>& pod_capabilities();

/// Parts of /proc that are read-only in a pod, and files that are hidden, as in Docker. Not every kernel has them all.
constexpr const char* kProcReadOnly[] = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"};
constexpr const char* kProcHidden[] = {"/proc/kcore", "/proc/keys", "/proc/timer_list"};

/// What is started: everything a backend has to know.
struct PodStart {
  std::string name, mark, folder, root;  ///< root: becomes "/"
  Login login;
  std::vector<Mount> mounts;
  std::vector<std::string> entry;  ///< process 1
  bool writable = false;           ///< root keeps what is written to "/"; else that is read-only
};

/// One way to make the namespaces of a pod. All give the same pod: own pid, mount, ipc and uts namespaces, the same
/// mounts, /proc/sys read-only, a minimal /dev, capabilities and bounding set cut to pod_capabilities() (an ordinary
/// user has none, only the bounding set).
struct Backend {
  const char* name;
  /// A command that ends with 0 where this backend works for this user; an Error if it cannot even be tried.
  Result<std::vector<std::string>> (*trial)();
  /// Writes what it needs into the pod's folder; returns the command that makes the pod and stays or ends as it likes.
  Result<std::vector<std::string>> (*prepare)(const PodStart&);
};
extern const Backend kRunc, kBwrap, kUnshare;

/// In order of preference.
std::vector<const Backend*> backends();
/// Success if the backend works here: it is tried, since only that tells.
Status try_backend(const Backend&);
/// Why an ordinary user may not make user namespaces here; empty if no setting forbids it.
std::string user_namespaces_refused();

/// `command`, with the bounding set cut and inherited capabilities dropped first. Run inside the pod.
std::vector<std::string> with_pod_capabilities(const std::vector<std::string>& command);

/// Removes what runc keeps about a pod outside its folder (cgroups); nothing to do for pods of other backends.
Status clear_runc_state(const std::string& folder, const std::string& mark, Deadline);

}  // namespace vt
