#pragma once
#include <functional>
#include <string>
#include <vector>

/// What this host can do, seen from user space in under a second and without changing anything on it.
/// docs/capabilities.md lists every fact; this folder knows nothing of the orchestrator.
namespace vt::probe {

struct Fact {
  std::string id;
  std::string value;     ///< a JSON value as text; empty = unknown (could not be read, which is never "no")
  std::string evidence;  ///< what was seen, one line; never empty
  std::string scope;     ///< "host", or "login" if it holds only for the login used
};

struct Options {
  std::string root;      ///< prefix of every file that is read; "" = the real ones
  std::string path;      ///< where tools are looked for, like PATH; "" = the agent's PATH
  std::string internet;  ///< "host:port" to connect to; "" = no traffic at all
};

/// Every fact, in the order of docs/capabilities.md. Forks short-lived children; what they find comes back over
/// pipes, so a caller that reaps every child of its process does no harm.
std::vector<Fact> probe_all(const Options&);
/// The same, each fact as soon as it is known: what was told before a hang is not lost.
void probe_all(const Options&, const std::function<void(const Fact&)>& sink);

}  // namespace vt::probe
