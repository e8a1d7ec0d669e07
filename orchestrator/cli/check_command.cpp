#include <cstdlib>
#include <nlohmann/json.hpp>

#include "orchestrator/cli/commands.hpp"
#include "orchestrator/cli/start_run.hpp"
#include "orchestrator/cli/workplace.hpp"

namespace vt {

namespace {

using nlohmann::json;

json host_of(const CommandLine& line, const std::string& user, const std::string& address) {
  auto& given = line.host;
  json host{{"address", address}, {"user", user}, {"port", given.port}, {"agent", given.agent}, {"exclusive", given.exclusive}};
  if (!given.identity.empty()) host["identity"] = given.identity;
  if (!given.jump.empty()) host["jump"] = given.jump;
  if (!given.jump_key.empty()) host["jump-key"] = given.jump_key;
  if (!given.host_key.empty()) host["host-key"] = given.host_key;
  else if (!given.known_hosts.empty()) host["known-hosts"] = given.known_hosts;
  else if (auto home = std::getenv("HOME")) host["known-hosts"] = std::string(home) + "/.ssh/known_hosts";
  return host;
}

/// The plan a person would have written for one machine. JSON is YAML, and quotes what it must.
std::string plan_text(const CommandLine& line, const Catalogue& catalogue) {
  json layer;
  auto at = line.target.find('@');
  bool local = line.target == "local";
  layer["provider"] = local ? "local" : "bare-metal";
  if (!local)
    layer["hosts"] = json::array({host_of(line, at == std::string::npos ? "" : line.target.substr(0, at),
                                          line.target.substr(at == std::string::npos ? 0 : at + 1))});
  layer["suites"] = json::array();
  for (auto& suite : catalogue.suites) layer["suites"].push_back(suite.id);
  json plan{{"vault-test", 1}, {"name", "check"}, {"purpose", "check of " + line.target}};
  plan["layers"][local ? "local" : "host"] = layer;
  return plan.dump(2);
}

}  // namespace

int check_command(const CommandLine& line) {
  if (line.target != "local" && line.target.find('@') == std::string::npos)
    return refuse(Error{Errc::usage, "'" + line.target + "': expected USER@HOST, or 'local' for this machine"});
  auto catalogue = read_catalogue(line);
  if (auto code = std::get_if<int>(&catalogue)) return *code;
  auto& loaded = std::get<LoadedCatalogue>(catalogue);
  auto plan = load_resolved(plan_text(line, loaded.catalogue), "check", loaded.catalogue, provider_schemas());
  if (!plan.problems.empty()) return refuse(plan.problems);
  return start_run(line, {std::move(plan.plan), std::move(loaded)});
}

}  // namespace vt
