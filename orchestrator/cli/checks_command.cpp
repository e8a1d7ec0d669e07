#include <algorithm>
#include <nlohmann/json.hpp>

#include "orchestrator/cli/check_reference.hpp"
#include "orchestrator/cli/commands.hpp"
#include "orchestrator/cli/workplace.hpp"
#include "orchestrator/model/text.hpp"
#include "orchestrator/report/layout.hpp"

namespace vt {

namespace {

nlohmann::json check_json(const Check& c) {
  auto values = nlohmann::json::array();
  for (auto& v : c.values)
    values.push_back({{"name", v.name}, {"unit", v.unit}, {"expect", v.expect ? v.expect->text() : ""}, {"baseline", v.baseline}});
  return {{"id", c.id},
          {"title", c.title},
          {"why", c.why},
          {"requirement", c.requirement},
          {"severity", name(c.severity)},
          {"scope", name(c.scope)},
          {"level", name(c.level)},
          {"cpu", c.cpu},
          {"requires", c.needs.text()},
          {"values", values},
          {"do", c.remedy}};
}

}  // namespace

int checks_command(const CommandLine& line) {
  auto read = read_catalogue(line);
  if (auto code = std::get_if<int>(&read)) return *code;
  auto catalogue = std::get<LoadedCatalogue>(read).catalogue;
  if (!line.check.empty()) std::erase_if(catalogue.checks, [&](auto& c) { return !glob_match(line.check, c.id); });
  if (catalogue.checks.empty()) return refuse(Error{Errc::usage, "no check matches '" + line.check + "'"});
  auto measured = read_measurements(line);
  if (!measured) return refuse(measured.error());
  if (line.markdown) return print(check_reference(catalogue, *measured)) ? 0 : 3;
  auto list = nlohmann::json::array();
  Table table;
  for (auto& c : catalogue.checks) {
    list.push_back(check_json(c));
    table.add({{c.id, Tone::strong}, {std::string(name(c.severity))}, {c.title}, {c.needs.text(), Tone::faint}});
  }
  return print(line.json ? list.dump(2) + "\n" : table.text({terminal_width(1), use_colour(line, 1)})) ? 0 : 3;
}

}  // namespace vt
