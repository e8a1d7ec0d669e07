#include <algorithm>
#include <map>

#include "orchestrator/cli/forecast.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

std::string range(const std::string& low, const std::string& high) { return low == high ? low : low + "-" + high; }

std::string cost_text(const LayerPlan& l) {
  if (!l.price_known) return "price unknown";
  return range(l.cost_low.text(), l.cost_high.text());
}

std::string time_text(Duration low, Duration high) { return range(short_text(low), short_text(high)); }

std::string gates_text(const Layer& layer) {
  std::vector<std::string> names;
  for (auto& gate : layer.after)
    names.push_back(gate.layer + (gate.passed_within ? " (or passed within " + short_text(*gate.passed_within) + ")" : ""));
  return names.empty() ? "" : "after " + join(names, ", ");
}

std::string layers_text(const Forecast& f, const TextStyle& style) {
  Table table;
  for (auto& l : f.run_plan.layers) {
    auto cap = l.layer->budget.usd ? "cap " + l.layer->budget.usd->text() : "";
    table.add({{std::to_string(l.stage), Tone::faint},
               {l.layer->name, Tone::strong},
               {l.layer->provider},
               {time_text(l.low, l.high)},
               {cost_text(l)},
               {cap},
               {l.can_run ? gates_text(*l.layer) : "cannot run yet", l.can_run ? Tone::faint : Tone::caution}});
  }
  return table.text(style);
}

Table::Cell cell(const LayerPlan& l, const std::string& check) {
  auto at = std::find_if(l.checks.begin(), l.checks.end(), [&](auto& c) { return c.check->id == check; });
  if (at == l.checks.end()) return {"-", Tone::faint};
  if (at->forecast == PlannedCheck::Forecast::run) return {"run", Tone::good};
  if (at->forecast == PlannedCheck::Forecast::unknown) return {"run?", Tone::plain};
  return {"skip " + at->reason.substr(0, at->reason.find(':')), Tone::caution};
}

std::vector<std::string> all_checks(const RunPlan& plan) {
  std::vector<std::string> out;
  for (auto& l : plan.layers)
    for (auto& c : l.checks)
      if (std::find(out.begin(), out.end(), c.check->id) == out.end()) out.push_back(c.check->id);
  return out;
}

/// Only rows that say something: a check that every layer runs is counted, not listed.
std::string matrix_text(const Forecast& f, const TextStyle& style) {
  Table table;
  std::vector<Table::Cell> header{{"check", Tone::faint}};
  for (auto& l : f.run_plan.layers) header.push_back({l.layer->name, Tone::faint});
  table.add(header);
  int plain = 0, listed = 0;
  for (auto& id : all_checks(f.run_plan)) {
    std::vector<Table::Cell> row{{id}};
    for (auto& l : f.run_plan.layers) row.push_back(cell(l, id));
    bool everywhere = std::all_of(row.begin() + 1, row.end(), [](auto& c) { return c.text == "run" || c.text == "run?"; });
    if (everywhere) ++plain;
    else table.add(row), ++listed;
  }
  std::string out = listed ? table.text(style) : "";
  return out + (plain ? count_of(plain, "check") + " " + (plain == 1 ? "runs" : "run") +
                            (f.run_plan.layers.size() > 1 ? " on every layer" : "") + "\n"
                      : "");
}

/// Why the layers skip: one line per layer and reason.
std::string reasons_text(const Forecast& f, const TextStyle& style) {
  std::string out;
  for (auto& l : f.run_plan.layers) {
    std::map<std::string, int> reasons;
    for (auto& c : l.checks)
      if (c.forecast == PlannedCheck::Forecast::skip) ++reasons[c.reason];
    for (auto& [reason, count] : reasons) out += wrapped(style, l.layer->name + " skips " + std::to_string(count) + ": ", one_line(reason));
  }
  return out;
}

std::string list_text(const TextStyle& style, const std::string& lead, const std::vector<std::string>& items, const char* separator) {
  return items.empty() ? "" : wrapped(style, lead, one_line(join(items, separator), 4000));
}

}  // namespace

std::string forecast_text(const Forecast& f, const TextStyle& style) {
  auto& p = f.run_plan;
  std::string out =
      paint(style, Tone::strong, one_line(f.plan.name)) + (f.plan.purpose.empty() ? "" : ": " + one_line(f.plan.purpose)) + "\n";
  if (!f.subject.commit.empty()) out += "subject @" + f.subject.commit.substr(0, 7) + (f.subject.dirty ? " dirty" : " clean") + "\n";
  out += std::string("nothing created, ") + (f.online ? "providers asked" : "nothing asked") + "; run? = the host will tell\n\n" +
         layers_text(f, style) + "\n" + matrix_text(f, style);
  if (auto reasons = reasons_text(f, style); !reasons.empty()) out += "\n" + reasons;
  out += "\n" + list_text(style, "NOBODY proves: ", p.unproven, ", ") + list_text(style, "missing to run: ", f.missing, "; ");
  bool priced = std::all_of(p.layers.begin(), p.layers.end(), [](auto& l) { return l.price_known; });
  auto cap = f.plan.budget.usd ? " of " + f.plan.budget.usd->text() : "";
  return out + "total " + (priced ? "" : "at least ") + range(p.cost_low.text(), p.cost_high.text()) + cap + "; " +
         time_text(p.low, p.high) + "\n" + (f.online ? online_text(*f.online, style) : "");
}

}  // namespace vt
