#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/value.hpp"

namespace vt {

/// Who says so. A probe on the host wins over a provider's prediction and over the plan's declaration.
enum class FactOrigin { predicted, declared, probed };
/// "This login cannot" is not "this host cannot".
enum class FactScope { login, host };

/// One thing known about a host, e.g. kernel.modules = no because CapEff lacks CAP_SYS_MODULE.
struct Fact {
  std::string id;              ///< dotted, e.g. "docker.daemon"
  std::optional<Value> value;  ///< nullopt = unknown: could not be read, which is never "no"
  std::string evidence;        ///< what was seen, short enough for one line
  FactOrigin origin = FactOrigin::probed;
  FactScope scope = FactScope::host;
  bool operator==(const Fact&) const = default;
};

class Capabilities {
 public:
  void set(Fact);
  /// nullptr if nobody said anything about it, which counts as unknown.
  [[nodiscard]] const Fact* find(std::string_view id) const;
  [[nodiscard]] const std::map<std::string, Fact, std::less<>>& all() const { return facts_; }

 private:
  std::map<std::string, Fact, std::less<>> facts_;
};

struct Difference {
  Fact predicted, probed;
};
/// Facts both sides know and disagree on.
std::vector<Difference> differences(const Capabilities& predicted, const Capabilities& probed);

std::string_view name(FactOrigin);
std::string_view name(FactScope);

}  // namespace vt
