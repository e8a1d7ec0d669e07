#pragma once
#include <string>

#include "orchestrator/model/result.hpp"
#include "providers/ssh_keys.hpp"

/// The two keys of one pod. They are on disk before the pod is asked for, so that a pod whose making was interrupted can still be
/// entered:
///   <state_dir>/keys/<name>        the private key that opens it
///   <state_dir>/keys/<name>.host   the fingerprint it must show, and which API key it was made with
/// The host's private key is sent with the request and kept nowhere.
namespace vt::runpod {

struct PodKeys {
  SshKey host, client;
};
/// New ones; those of an earlier try under this name are replaced.
Result<PodKeys> make_pod_keys(const std::string& state_dir, const std::string& name, const std::string& key_mark);

struct KnownPod {
  std::string identity;     ///< path of the private key
  std::string fingerprint;  ///< "SHA256:…"
  std::string key_mark;     ///< Api::key_mark() of then
};
/// Errc::not_found if this machine has no keys of that pod.
Result<KnownPod> known_pod(const std::string& state_dir, const std::string& name);

/// Once nobody will log in any more. Nothing there is fine.
void forget_pod(const std::string& state_dir, const std::string& name);

}  // namespace vt::runpod
