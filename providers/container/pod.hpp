#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/plan.hpp"
#include "orchestrator/model/resource.hpp"
#include "orchestrator/model/result.hpp"

namespace vt {

/// A pod on this machine. Everything of it lies in one folder, <state_dir>/pods/<name>, of mode 0700:
///   owner.json   whose it is and how to reach it; written before anything runs
///   id_ed25519   the client key
///   log          what process 1 and the SSH server said
///   root/        the empty folders and links that become the pod's "/"; the machine's folders are mounted over them
///   root/.vt/    what process 1 needs: its script, the SSH server's settings and host key
struct Pod {
  std::string folder;
  Ownership owner;
  std::string backend;
  HostSpec access;
  [[nodiscard]] std::string root() const { return folder + "/root"; }
  [[nodiscard]] std::string identity() const { return folder + "/id_ed25519"; }
  [[nodiscard]] std::string log() const { return folder + "/log"; }
};

/// The user the pod is entered as: whoever runs vault-test.
struct Login {
  unsigned uid = 0, gid = 0;
  std::string name, home;
};
Login current_login();

/// Only such names are ever turned into a path.
bool is_pod_name(const std::string&);
std::string pod_folder(const std::string& state_dir, const std::string& name);
/// Names of all pod folders, finished or not; an error if they cannot be listed.
Result<std::vector<std::string>> pod_folders(const std::string& state_dir);

Status write_owner(const Pod&);
/// Errc::not_found if the folder or its owner.json is not there.
Result<Pod> read_pod(const std::string& folder);
/// Makes a new file of that mode; an existing one is an error.
Status write_new_file(const std::string& path, const std::string& text, unsigned mode);
/// The log's last lines, on one line.
std::string log_tail(const Pod&);
/// Removes the folder, never following a link out of it. Refuses while anything is mounted below it.
Status remove_pod_folder(const std::string& folder);

}  // namespace vt
