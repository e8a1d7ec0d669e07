#include "orchestrator/cost/cost_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "orchestrator/cost/billing.hpp"

namespace vt {

namespace {

constexpr auto kAround = "(provisioning and teardown)";
constexpr Money kCent{10'000};

Money cost_of(const Resource& r, EpochMs now) { return is_open(r.state) ? cost_until(r, now) : r.cost; }

/// Adds amounts up by name; a resource counts once per name.
class Sums {
 public:
  void add(const std::string& what, Money cost, const Resource& r) {
    auto& line = lines_[what];
    line.what = what, line.cost += cost, ++line.resources, line.open += is_open(r.state) ? 1 : 0;
  }
  [[nodiscard]] std::vector<CostLine> take() {
    std::vector<CostLine> out;
    for (auto& [what, line] : lines_) out.push_back(std::move(line));
    std::stable_sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.cost > b.cost; });
    return out;
  }

 private:
  std::map<std::string, CostLine> lines_;
};

std::string plan_of(const CostRow& row) { return row.plan.empty() ? "(run " + row.resource.run + ")" : row.plan; }

bool ran_on(const CheckTime& t, const CostRow& row) {
  auto& r = row.resource;
  bool host_fits = row.hosts.empty() || std::find(row.hosts.begin(), row.hosts.end(), t.host) != row.hosts.end();
  return t.run == r.run && t.layer == r.layer && host_fits && t.started >= r.created && (r.closed == 0 || t.started <= r.closed);
}

/// Checks may run side by side, so that together they took longer than the host lived: then they share all of its cost.
void share_out(const CostRow& row, const std::vector<CheckTime>& times, EpochMs now, Sums& sums) {
  auto& r = row.resource;
  auto cost = cost_of(r, now), rest = cost;
  std::map<std::string, std::int64_t> took;
  std::int64_t together = 0;
  for (auto& t : times)
    if (ran_on(t, row)) took[t.check] += t.took.count(), together += t.took.count();
  auto whole = std::max<std::int64_t>({1, (r.closed ? r.closed : now) - r.created, together});
  for (auto& [check, ms] : took) {
    __extension__ using Wide = __int128;
    Money share{static_cast<std::int64_t>(static_cast<Wide>(cost.micro) * ms / whole)};
    rest = rest - share;
    sums.add(check, share, r);
  }
  sums.add(kAround, rest, r);
}

}  // namespace

std::string_view name(CostBy by) {
  constexpr std::array<std::string_view, 4> names{"plan", "layer", "provider", "check"};
  return names.at(static_cast<std::size_t>(by));
}

CostReport cost_report(const std::vector<CostRow>& rows, const std::vector<CheckTime>& times, CostBy by, EpochMs now) {
  Sums sums;
  CostReport out;
  for (auto& row : rows) {
    auto& r = row.resource;
    auto cost = cost_of(r, now);
    out.total += cost, ++out.resources, out.open += is_open(r.state) ? 1 : 0;
    switch (by) {
      case CostBy::plan: sums.add(plan_of(row), cost, r); break;
      case CostBy::layer: sums.add(plan_of(row) + "/" + r.layer, cost, r); break;
      case CostBy::provider: sums.add(r.provider, cost, r); break;
      case CostBy::check: share_out(row, times, now, sums); break;
    }
  }
  out.lines = sums.take();
  return out;
}

bool Billed::agrees() const {
  if (!billed) return false;
  auto difference = std::abs(billed->micro - recorded.micro);
  return difference <= std::max(kCent.micro, std::max(billed->micro, recorded.micro) / 100);
}

std::string exact_text(Money m) {
  char buffer[40];
  auto micro = std::llabs(m.micro);
  std::snprintf(buffer, sizeof buffer, "%s$%lld.%06lld", m.micro < 0 ? "-" : "", micro / 1'000'000, micro % 1'000'000);
  return buffer;
}

}  // namespace vt
