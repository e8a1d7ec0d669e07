#include "orchestrator/cli/check_reference.hpp"

#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

struct HowText {
  std::string operator()(const ProbeRun& r) const { return "the fact `" + r.fact + "`"; }
  std::string operator()(const NoRunner& r) const { return "nothing: " + r.what; }
  std::string operator()(const AgentRun& r) const { return "the agent's `" + r.name + "`"; }
  std::string operator()(const CommandRun& r) const { return "`" + join(r.argv, " ") + "`"; }
  std::string operator()(const ScriptRun& r) const { return "a script for `" + r.interpreter + "`"; }
};

std::string expected(const Check& check) {
  std::vector<std::string> parts;
  for (auto& v : check.values)
    if (!v.baseline.empty()) parts.push_back((v.name == "value" ? "" : v.name + ": ") + "the baseline `" + v.baseline + "`");
    else if (v.expect) parts.push_back((v.name == "value" ? "" : v.name + ": ") + v.expect->text() + (v.unit.empty() ? "" : " " + v.unit));
  return parts.empty() ? "nothing; recorded only" : join(parts, "; ");
}

std::string times(const Check& check) {
  std::string out = "- takes about " + short_text(check.typical) + ", at most " + short_text(check.timeout);
  for (auto& [level, tuning] : check.levels)
    out += "; at " + std::string(name(level)) + " about " + short_text(tuning.typical.value_or(check.typical)) + ", at most " +
           short_text(tuning.timeout.value_or(check.timeout));
  return out + (check.burn ? "; as long as a layer's `burn:`" : "") + "\n";
}

std::string on_hardware(const Check& check, const LastMeasurements& measured) {
  if (!needs_a_gpu(check)) return {};
  auto last = measured.find(check.id);
  auto where = last == measured.end() ? "never" : last->second.device + ", " + last->second.date;
  return "- last run on hardware: " + where + (check.cpu ? "; can run on the processor (`--device cpu`)" : "") + "\n";
}

std::string entry(const Check& check, const LastMeasurements& measured) {
  std::string out = "### `" + check.id + "`: " + check.title + "\n\n" + check.why + "\n\n";
  out += "- severity " + std::string(name(check.severity)) + ", level " + std::string(name(check.level)) +
         (check.requirement.empty() ? "" : ", requirement " + check.requirement) + "\n";
  if (!check.needs.text().empty()) out += "- needs `" + check.needs.text() + "`\n";
  out += "- runs " + std::visit(HowText{}, check.how) + (check.root ? " as root" : "") + (check.disruptive ? "; disruptive" : "") + "\n";
  if (!check.levels.empty() || check.burn) out += times(check);
  out += "- expects " + expected(check) + "\n";
  out += on_hardware(check, measured);
  if (!check.remedy.empty()) out += "- when it fails: " + check.remedy + "\n";
  return out + "\n";
}

}  // namespace

std::string check_reference(const Catalogue& catalogue, const LastMeasurements& measured) {
  std::string out = "# Checks\n\nMade from the catalogue by `vault-test checks --markdown`; do not edit.\n\n";
  for (auto& suite : catalogue.suites) {
    out += "## Suite `" + suite.id + "`: " + suite.title + "\n\n";
    for (auto& id : suite.checks)
      if (auto check = catalogue.check(id)) out += entry(*check, measured);
  }
  return out;
}

}  // namespace vt
