#include "orchestrator/cost/user_config.hpp"

#include <algorithm>
#include <filesystem>

#include "orchestrator/plan/fields.hpp"
#include "orchestrator/plan/problems.hpp"
#include "orchestrator/plan/yaml_reader.hpp"

namespace vt {

namespace {

std::optional<Money> smaller(const std::optional<Money>& a, const std::optional<Money>& b) { return a && b ? std::min(*a, *b) : a ? a : b; }

Caps read_caps(const yaml::Node& node, Problems& problems) {
  Caps caps;
  yaml::Fields fields(node, "caps", {"run", "layer", "day", "month", "rate"}, problems);
  fields.read("run", caps.run);
  fields.read("layer", caps.layer);
  fields.read("day", caps.day);
  fields.read("month", caps.month);
  fields.read("rate", caps.rate);
  return caps;
}

std::string value_of(const std::map<std::string, std::string>& environment, const std::string& name) {
  auto at = environment.find(name);
  return at == environment.end() ? "" : at->second;
}

std::string default_path(const std::map<std::string, std::string>& environment) {
  auto folder = value_of(environment, "XDG_CONFIG_HOME");
  if (folder.empty()) folder = value_of(environment, "HOME") + "/.config";
  return folder + "/vault-test/config.yaml";
}

/// A file that cannot be looked for counts as there: reading it tells why, and caps are never lost in silence.
bool is_absent(const std::string& path) {
  std::error_code failed;
  return std::filesystem::status(path, failed).type() == std::filesystem::file_type::not_found;
}

}  // namespace

UserConfig load_user_config(const std::map<std::string, std::string>& environment) {
  UserConfig out;
  out.path = value_of(environment, "VAULT_TEST_CONFIG");
  if (out.path.empty()) {
    out.path = default_path(environment);
    if (is_absent(out.path)) return out;
  }
  auto root = yaml::read_file(out.path, out.problems);
  if (!root) return out;
  yaml::Fields fields(*root, "the configuration", {"caps"}, out.problems);
  if (auto caps = fields.find("caps")) out.caps = read_caps(*caps, out.problems);
  sort_problems(out.problems, {out.path});
  return out;
}

Caps stricter(const Caps& user, const Budget& plan, const Budget& layer) {
  Caps out = user;
  out.run = smaller(user.run, plan.usd);
  out.layer = smaller(user.layer, layer.usd);
  return out;
}

}  // namespace vt
