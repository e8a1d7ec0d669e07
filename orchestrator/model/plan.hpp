#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/expectation.hpp"
#include "orchestrator/model/money.hpp"
#include "orchestrator/model/source_location.hpp"
#include "orchestrator/model/value.hpp"
#include "orchestrator/model/verdict.hpp"

namespace vt {

/// How to reach an existing host, or what a provider handed over. Secrets by name or path only.
struct HostSpec {
  std::string address;  ///< DNS name or IP; empty for the local machine
  int port = 22;
  std::string user;
  std::string identity;     ///< path of the private key; empty: none
  bool agent = false;       ///< ssh-agent, opt-in
  std::string host_key;     ///< "SHA256:…" fingerprint the host must show
  std::string known_hosts;  ///< path; used where host_key is empty. One of the two is required for SSH
  std::string jump;         ///< "user@host:port", with jump_key as its fingerprint
  std::string jump_key;
  std::string serial;      ///< the chassis this must be (asset number); empty = any
  bool exclusive = false;  ///< the user says: nobody else works there now
  SourceLocation where;
};

/// A layer opens once `layer` has passed: in this run, or (within set) in an earlier run of the same subject.
struct Gate {
  std::string layer;
  std::optional<Duration> passed_within;
};

struct Budget {
  std::optional<Money> usd;      ///< hard cap
  std::optional<Duration> time;  ///< hard cap
};

/// Expectations that replace a check's own: "os.kernel" (its main value) or "os.kernel/release".
using Expectations = std::map<std::string, Expectation>;

/// Arguments of agent checks that replace the catalogue's: check id -> argument -> value.
using Params = std::map<std::string, Values>;

/// What provider-specific keys said, flattened: "machine" -> ["g4-standard-48"], "build.packer" -> ["../x"].
/// Each provider states which keys it knows; the plan reader refuses the others.
using Options = std::map<std::string, std::vector<std::string>>;

struct Layer {
  std::string name, proves, provider;
  std::vector<Gate> after;
  std::vector<HostSpec> hosts;  ///< bare-metal; one empty HostSpec for local
  Options options;              ///< provider's own keys
  std::vector<std::string> suites;
  std::vector<std::string> checks;  ///< single checks beside the suites
  std::vector<std::string> skip;    ///< check globs the user does not want here; shown as skipped by the operator
  Expectations expect;              ///< plan-wide and this layer's own, merged
  Params params;                    ///< this layer's own
  Level level = Level::standard;
  std::optional<Duration> burn;
  std::string payload;  ///< folder with libraries for the agent; empty: none
  Budget budget;
  std::map<std::string, Value> declares;  ///< capabilities the user vouches for; a probe still wins
  SourceLocation where;
};

struct SubjectSpec {
  std::string git;  ///< path of the repository under test, relative to the plan
  bool require_clean = false;
};

struct SignOff {
  std::optional<Duration> max_age;
  std::map<std::string, std::vector<std::string>> must_prove;  ///< layer -> check ids
};

struct Plan {
  std::string name, purpose;
  std::string path;  ///< the file it was read from
  std::optional<SubjectSpec> subject;
  std::vector<std::string> secrets;      ///< names; values come from the environment and are never stored
  std::vector<std::string> environment;  ///< every ${env.X} the plan uses, set or not
  std::vector<std::string> missing;      ///< those that are not set, and secrets that are not
  Budget budget;
  std::vector<Layer> layers;  ///< in file order
  SignOff signoff;
  /// The plan as it runs: one self-contained YAML text, includes merged and variables resolved (unset ones left as
  /// written), no secret values. Reading it again gives the same plan.
  std::string resolved;

  [[nodiscard]] const Layer* layer(const std::string& n) const {
    for (auto& l : layers)
      if (l.name == n) return &l;
    return nullptr;
  }
};

}  // namespace vt
