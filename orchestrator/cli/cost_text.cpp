#include "orchestrator/cli/cost_text.hpp"

#include <map>
#include <nlohmann/json.hpp>

namespace vt {

namespace {

using nlohmann::json;

constexpr int kVersion = 1;

std::string heading(const CostPage& page, const std::string& what) {
  return (page.rehearsal ? "REHEARSAL: emulated money, nothing was paid\n" : "") + what + " the last " + page.since + "\n";
}

std::string live(int open) { return open ? std::to_string(open) + " open, counted until now" : ""; }

json page_json(const CostPage& page) { return {{"vault_test_cost", kVersion}, {"since", page.since}, {"rehearsal", page.rehearsal}}; }

std::string dumped(const json& out) { return out.dump(2, ' ', true, json::error_handler_t::replace) + "\n"; }

std::string difference(const Billed& b) {
  auto money = *b.billed - b.recorded;
  return (money.micro > 0 ? "+" : "") + exact_text(money);
}

/// What one provider's rows add up to: recorded and, of those it tells, billed.
struct ProviderSum {
  Money recorded, billed;
  int rows = 0, told = 0, unasked = 0;
};

std::map<std::string, ProviderSum> by_provider(const std::vector<Billed>& asked) {
  std::map<std::string, ProviderSum> out;
  for (auto& b : asked) {
    auto& sum = out[b.provider];
    ++sum.rows, sum.recorded += b.recorded;
    if (b.billed) ++sum.told, sum.billed += *b.billed;
    sum.unasked += b.problem.empty() ? 0 : 1;
  }
  return out;
}

std::string verdict(const std::string& provider, const ProviderSum& sum) {
  auto rows = provider + ": " + count_of(sum.rows, "host") + ", recorded " + exact_text(sum.recorded);
  if (sum.unasked) return rows + ", " + std::to_string(sum.unasked) + " could not be asked about";
  if (sum.told == 0) return rows + "; its API tells no costs: hold it against the billing export, see docs/cost-and-budget.md";
  return rows + ", billed " + exact_text(sum.billed) + (sum.told < sum.rows ? " for " + std::to_string(sum.told) + " of them" : "");
}

}  // namespace

std::string cost_text(const CostPage& page, const CostReport& report, const TextStyle& style) {
  auto out = heading(page, "cost by " + std::string(name(page.by)) + " of what was created in");
  if (report.resources == 0) return out + "nothing was created\n";
  Table table;
  table.add({{std::string(name(page.by)), Tone::faint}, {"resources", Tone::faint, true}, {"cost", Tone::faint, true}, {""}});
  for (auto& line : report.lines)
    table.add({{one_line(line.what)},
               {std::to_string(line.resources), Tone::plain, true},
               {exact_text(line.cost), Tone::plain, true},
               {live(line.open), Tone::caution}});
  table.add({{"total", Tone::strong},
             {std::to_string(report.resources), Tone::plain, true},
             {exact_text(report.total), Tone::strong, true},
             {live(report.open), Tone::caution}});
  return out + table.text(style);
}

std::string cost_json(const CostPage& page, const CostReport& report) {
  auto lines = json::array();
  for (auto& l : report.lines)
    lines.push_back({{"what", l.what}, {"cost_micro_usd", l.cost.micro}, {"resources", l.resources}, {"open", l.open}});
  auto out = page_json(page);
  out["by"] = name(page.by);
  out["lines"] = lines;
  out["total_micro_usd"] = report.total.micro, out["resources"] = report.resources, out["open"] = report.open;
  return dumped(out);
}

std::string reconciled_text(const CostPage& page, const std::vector<Billed>& asked, const TextStyle& style) {
  auto out = heading(page, "recorded and billed, of what was created and closed in");
  if (asked.empty()) return out + "nothing that costs money was closed\n";
  Table table;
  auto faint = [](const char* text) { return Table::Cell{text, Tone::faint, true}; };
  table.add({{"resource", Tone::faint}, {"provider", Tone::faint}, faint("recorded"), faint("billed"), faint("difference"), {""}});
  for (auto& b : asked)
    table.add({{one_line(b.name)},
               {one_line(b.provider)},
               {exact_text(b.recorded), Tone::plain, true},
               {b.billed            ? exact_text(*b.billed)
                : b.problem.empty() ? "not told"
                                    : "?",
                Tone::plain, true},
               {b.billed ? difference(b) : "-", Tone::plain, true},
               {b.billed && !b.agrees() ? "DIFFERS" : one_line(b.problem), Tone::caution}});
  out += table.text(style);
  for (auto& [provider, sum] : by_provider(asked)) out += one_line(verdict(provider, sum)) + "\n";
  return out;
}

std::string reconciled_json(const CostPage& page, const std::vector<Billed>& asked) {
  auto rows = json::array();
  for (auto& b : asked)
    rows.push_back({{"name", b.name},
                    {"provider", b.provider},
                    {"recorded_micro_usd", b.recorded.micro},
                    {"billed_micro_usd", b.billed ? json(b.billed->micro) : json()},
                    {"agrees", b.billed ? json(b.agrees()) : json()},
                    {"problem", b.problem}});
  auto out = page_json(page);
  out["reconciled"] = rows;
  return dumped(out);
}

}  // namespace vt
