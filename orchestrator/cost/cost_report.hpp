#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/resource.hpp"

namespace vt {

/// One row of the ledger, with what the results say about it.
struct CostRow {
  Resource resource;
  std::string plan;                ///< "" where no result tells
  std::vector<std::string> hosts;  ///< the names its hosts have in the results; empty: not known
};

/// How long a check took on a host.
struct CheckTime {
  std::string run, layer, host, check;
  EpochMs started = 0;
  Duration took{0};
};

enum class CostBy { plan, layer, provider, check };
std::string_view name(CostBy);

struct CostLine {
  std::string what;
  Money cost;
  int resources = 0;  ///< that have a part in it
  int open = 0;       ///< of these, how many still run: they are counted until now
};

/// Exact: the lines add up to the total to the micro-dollar.
struct CostReport {
  std::vector<CostLine> lines;  ///< dearest first
  Money total;
  int resources = 0, open = 0;
};

/// What the rows have cost until `now`: closed ones as recorded, open ones by the clock, refused ones nothing. By check, the cost
/// of a host is shared out over the checks that ran on it by the time each took, and the rest is provisioning and teardown.
CostReport cost_report(const std::vector<CostRow>&, const std::vector<CheckTime>&, CostBy, EpochMs now);

/// What was recorded for one closed row, and what its provider says it billed.
struct Billed {
  std::string name, provider;
  Money recorded;
  std::optional<Money> billed;  ///< nullopt: the provider's API does not tell, or could not be asked
  std::string problem;          ///< why it could not be asked
  /// They agree to within a percent or a cent, whichever is more.
  [[nodiscard]] bool agrees() const;
};

/// "$4.213456": all of it, for what must add up.
std::string exact_text(Money);

}  // namespace vt
