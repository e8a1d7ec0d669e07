#pragma once
#include <map>
#include <string>

#include "orchestrator/model/clock.hpp"
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
  std::string key_mark;     ///< Api::key_mark() of the key under which it was last seen
};
/// Errc::not_found if this machine has no keys of that pod.
Result<KnownPod> known_pod(const std::string& state_dir, const std::string& name);

/// The name of each pod that this machine has keys of, with the mark of the API key under which it was last seen.
std::map<std::string, std::string> known_pods(const std::string& state_dir);
/// The pod was seen under another API key, which is then one of the same account.
Status change_key_mark(const std::string& state_dir, const std::string& name, const std::string& key_mark);
/// How long ago its keys were made or their mark changed.
Duration age_of_keys(const std::string& state_dir, const std::string& name, EpochMs now);

/// Once the pod is gone: the mark is what tells that from an account that never had it. Nothing there is fine.
void forget_pod(const std::string& state_dir, const std::string& name);

}  // namespace vt::runpod
