#pragma once
#include <string_view>

#include "orchestrator/model/result.hpp"

namespace vt {

/// Every effect on the world goes through one of these: process spawns, network calls, commits. A test arms one
/// through VAULT_TEST_FAILPOINT="name=action[@n]" (action: kill, err, enospc, sleep:MS; n = the n-th time it is reached)
/// and VAULT_TEST_FAILPOINT_LOG=file records the ones reached. Builds without VT_FAILPOINTS (all release builds)
/// contain none of this: the call is an empty inline function and the environment is not read.
constexpr std::string_view kFailpoints[] = {
    "store.before_commit",
    "store.after_commit",
    "ledger.before_commit",
    "ledger.after_commit",
    "artefact.write",
    "key.write",
    "process.spawn",
    "tcp.connect",
    "ssh.handshake",
    "ssh.open",
    "ssh.read",
    "ssh.write",
    "agent.deploy",
    "agent.deployed",
    "agent.run",
    "agent.result",
    "container.create",
    "container.created",
    "container.destroy",
    "container.destroyed",
    "http.send",
    "gcp.list",
    "gcp.create",
    "gcp.created",
    "gcp.operation",
    "gcp.host_key",
    "gcp.destroy",
    "gcp.destroyed",
    "runpod.list",
    "runpod.create",
    "runpod.created",
    "runpod.poll",
    "runpod.lease_proof",
    "runpod.destroy",
    "runpod.destroyed",
    "layer.step",
    "run.started",
    "run.ending",
};

constexpr bool is_failpoint(std::string_view name) {
  for (auto known : kFailpoints)
    if (known == name) return true;
  return false;
}

#ifdef VT_FAILPOINTS
/// An error to inject here, or success; `kill` does not return.
Status failpoint_reached(std::string_view name);
#else
inline Status failpoint_reached(std::string_view) { return {}; }
#endif

}  // namespace vt

/// Returns an injected error from the enclosing function; the name must be in the list above.
#define VT_FAILPOINT(name)                                          \
  do {                                                              \
    static_assert(vt::is_failpoint(name), "add it to kFailpoints"); \
    VT_CHECK(vt::failpoint_reached(name));                          \
  } while (false)
