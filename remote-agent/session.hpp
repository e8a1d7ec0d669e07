#pragma once
#include <string>

namespace vt::agent {

struct SessionOptions {
  std::string root;   ///< prefix of what probes read and of the claim file; "" = this host
  std::string build;  ///< told in hello
};

/// Serves one orchestrator on standard input and output until it leaves. Attached jobs end with the session, detached ones
/// go on. Returns the exit status.
int serve(const SessionOptions&);

}  // namespace vt::agent
