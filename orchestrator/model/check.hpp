#pragma once
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/expectation.hpp"
#include "orchestrator/model/requirement.hpp"
#include "orchestrator/model/source_location.hpp"
#include "orchestrator/model/verdict.hpp"

namespace vt {

/// What one instance of a check is about.
enum class Scope { orchestrator, image, layer, host, gpu, pair, group };

/// the value of a capability fact
struct ProbeRun {
  std::string fact;
};
/// a check built into the agent
struct AgentRun {
  std::string name;
  Values args;
};
/// one program, no shell
struct CommandRun {
  std::vector<std::string> argv;
};
/// a script of the catalogue's
struct ScriptRun {
  std::string text;
  std::string interpreter = "/bin/sh";
};
/// a part of the plan that this version plans and shows but cannot do; `what` says what it would have been
struct NoRunner {
  std::string what;
};
using How = std::variant<ProbeRun, AgentRun, CommandRun, ScriptRun, NoRunner>;

/// How one value is read out of what ran.
struct Reader {
  enum class From { result, out, err, exit_code };  ///< result = the structured values of an agent check or probe
  enum class By { whole, regex, json, csv, lines };
  From from = From::out;
  By by = By::whole;
  std::string pattern;  ///< regex (group 1, or the whole match), JSON pointer, CSV column name, or result key
  bool all = false;     ///< every match (regex), every row (csv): the value is a list
};

struct ValueSpec {
  std::string name = "value";  ///< "value" is the check's main value, the one a plan's `expect` overrides
  ValueType type = ValueType::text;
  std::string unit;
  Reader read;
  std::optional<Expectation> expect;  ///< none: recorded only
  std::string baseline;               ///< key of the figures in plans/baselines it is held against: "gemm.bf16", "nccl.all_reduce@512MiB"
};

/// What a level changes of a check: arguments over its own, its times in place of its own.
struct LevelTuning {
  Values args;
  std::optional<Duration> timeout, typical;
};

/// Evidence fetched from the host when the check fails, before the host is given back.
struct LogSource {
  enum class Kind { journal, kernel, file } kind = Kind::kernel;
  std::string name;  ///< unit or path; empty for kernel
};

/// One row of the catalogue. Plain data: how it runs and what is expected, never code.
struct Check {
  std::string id;  ///< dotted, unique: "os.kernel"
  std::string title;
  std::string why;          ///< why it matters, one sentence
  std::string requirement;  ///< id of the requirement it shows, e.g. "OS-01"
  Severity severity = Severity::gate;
  Scope scope = Scope::host;
  Level level = Level::quick;      ///< the lowest level that runs it
  Requirement needs;               ///< capabilities
  std::vector<std::string> after;  ///< checks that must not have failed: else this one is blocked
  How how;
  Duration timeout{10'000};
  Duration typical{200};    ///< usual running time, for estimates
  bool detached = false;    ///< survives a cut connection (journal on the host); long checks
  bool disruptive = false;  ///< refuses while other users or GPU processes are active
  bool cpu = false;         ///< args.device = "cpu" lets the host's processor stand in for its GPUs
  bool burn = false;        ///< runs as long as the layer's `burn:` says, in args.seconds
  std::map<Level, LevelTuning> levels;
  bool root = false;                 ///< needs uid 0: run through `sudo -n` where the login is not root
  std::vector<std::string> secrets;  ///< names of secrets it needs in its environment
  std::map<std::string, std::string> environment;
  std::vector<ValueSpec> values;
  std::string remedy;  ///< what to do when it fails
  std::vector<LogSource> logs;
  SourceLocation where;

  [[nodiscard]] const ValueSpec* value(const std::string& name) const {
    for (auto& v : values)
      if (v.name == name) return &v;
    return nullptr;
  }
};

struct Suite {
  std::string id, title;
  std::vector<std::string> checks;  ///< in running order
  SourceLocation where;
};

/// Everything vault-test can check, in the order of the files it came from.
struct Catalogue {
  std::vector<Check> checks;
  std::vector<Suite> suites;
  [[nodiscard]] const Check* check(const std::string& id) const;
  [[nodiscard]] const Suite* suite(const std::string& id) const;
};

std::string_view name(Scope);

}  // namespace vt
