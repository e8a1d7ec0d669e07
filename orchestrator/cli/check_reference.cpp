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
    if (v.expect) parts.push_back((v.name == "value" ? "" : v.name + ": ") + v.expect->text() + (v.unit.empty() ? "" : " " + v.unit));
  return parts.empty() ? "nothing; recorded only" : join(parts, "; ");
}

std::string entry(const Check& check) {
  std::string out = "### `" + check.id + "`: " + check.title + "\n\n" + check.why + "\n\n";
  out += "- severity " + std::string(name(check.severity)) + ", level " + std::string(name(check.level)) +
         (check.requirement.empty() ? "" : ", requirement " + check.requirement) + "\n";
  if (!check.needs.text().empty()) out += "- needs `" + check.needs.text() + "`\n";
  out += "- runs " + std::visit(HowText{}, check.how) + (check.root ? " as root" : "") + (check.disruptive ? "; disruptive" : "") + "\n";
  out += "- expects " + expected(check) + "\n";
  if (!check.remedy.empty()) out += "- when it fails: " + check.remedy + "\n";
  return out + "\n";
}

}  // namespace

std::string check_reference(const Catalogue& catalogue) {
  std::string out = "# Checks\n\nMade from the catalogue by `vault-test checks --markdown`; do not edit.\n\n";
  for (auto& suite : catalogue.suites) {
    out += "## Suite `" + suite.id + "`: " + suite.title + "\n\n";
    for (auto& id : suite.checks)
      if (auto check = catalogue.check(id)) out += entry(*check);
  }
  return out;
}

}  // namespace vt
