#include "remote-agent/conditions.hpp"

#include <cmath>
#include <cstdio>

namespace vt::agent {

namespace {

using nlohmann::json;

void add(std::string& text, const std::string& more) { text += (text.empty() ? "" : "; ") + more; }

std::string whole(double value) { return std::to_string(std::lround(value)); }

void add_sampled(std::string& text, const json& telemetry, const char* key, const std::string& before, const std::string& unit) {
  auto at = telemetry.find(key);
  if (at == telemetry.end()) return;
  auto least = whole(at->value("min", 0.0)), most = whole(at->value("max", 0.0));
  add(text, before + whole(at->value("mean", 0.0)) + " " + unit + (least == most ? "" : " (" + least + " to " + most + ")"));
}

std::string link(const json& pcie, const std::string& which) {
  return "gen " + std::to_string(pcie.value(which + "generation", 0)) + " x" + std::to_string(pcie.value(which + "width", 0));
}

std::string seconds(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", value);
  return text;
}

}  // namespace

std::string conditions_of(const json& telemetry) {
  std::string out;
  add_sampled(out, telemetry, "power_w", "", "W");
  add_sampled(out, telemetry, "temperature_c", "", "C");
  add_sampled(out, telemetry, "sm_mhz", "SM ", "MHz");
  add_sampled(out, telemetry, "memory_mhz", "memory ", "MHz");
  if (auto pcie = telemetry.find("pcie"); pcie != telemetry.end()) add(out, "PCIe " + link(*pcie, "") + " of " + link(*pcie, "max_"));
  if (auto throttled = telemetry.find("throttled_s"); throttled != telemetry.end())
    for (auto& [reason, lasted] : throttled->items()) add(out, reason + " " + seconds(lasted.get<double>()));
  if (auto notes = telemetry.find("notes"); notes != telemetry.end())
    for (auto& note : *notes) add(out, note.get<std::string>());
  return out.empty() ? "not sampled" : out;
}

}  // namespace vt::agent
