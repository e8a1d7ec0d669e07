#include "orchestrator/cli/selection_text.hpp"

#include <nlohmann/json.hpp>

namespace vt {

using nlohmann::json;

std::string selection_text(const Selection& s) {
  json out = json::object();
  if (!s.layers.empty()) out["layers"] = s.layers;
  if (!s.suites.empty()) out["suites"] = s.suites;
  if (!s.checks.empty()) out["checks"] = s.checks;
  if (s.level) out["level"] = name(*s.level);
  return out.dump();
}

Selection selection_from(const std::string& text) try {
  Selection s;
  auto in = json::parse(text.empty() ? "{}" : text);
  s.layers = in.value("layers", s.layers);
  s.suites = in.value("suites", s.suites);
  s.checks = in.value("checks", s.checks);
  if (in.contains("level")) s.level = from_name<Level>(in.at("level").get<std::string>());
  return s;
} catch (const json::exception&) { return {}; }

}  // namespace vt
