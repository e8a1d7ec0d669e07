#include "remote-agent/checks/dcgm.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/program.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;

json member(const json& object, const char* name, const json& otherwise) {
  auto at = object.is_object() ? object.find(name) : object.end();
  return at != object.end() && at->type() == otherwise.type() ? *at : otherwise;
}

/// Warnings are texts, or objects that have one.
std::string warning_of(const json& result) {
  std::string out;
  auto warnings = member(result, "warnings", json::array());
  for (auto& one : warnings) {
    auto text = one.is_string() ? one.get<std::string>() : member(one, "warning", "").get<std::string>();
    if (!text.empty()) out += (out.empty() ? "" : " ") + text;
  }
  return out.substr(0, 500);
}

/// DCGM 3 writes "gpu_ids": "3", DCGM 4 "entity_id": 3 with its "entity_group".
std::string place_of(const json& result) {
  if (auto gpus = member(result, "gpu_ids", "").get<std::string>(); !gpus.empty()) return ", GPU " + gpus;
  auto at = result.find("entity_id");
  auto group = member(result, "entity_group", "GPU").get<std::string>();
  return at != result.end() && at->is_number_integer() ? ", " + group + " " + std::to_string(at->get<int>()) : "";
}

void add_result(const std::string& test, const json& result, json& out) {
  auto status = member(result, "status", "").get<std::string>();
  auto warning = warning_of(result);
  auto told = test + place_of(result) + ", " + status + (warning.empty() ? "" : ": " + warning);
  std::transform(status.begin(), status.end(), status.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (status == "pass") out["passed"] = out["passed"].get<int>() + 1;
  else if (status == "skip" || status == "not run") out["skipped"].push_back(told);
  else if (status == "warn") out["told"].push_back(told);
  else out["failing"].push_back(told);
  if (status == "pass" && !warning.empty()) out["told"].push_back(told);
}

/// The report has one section, whose name differs between versions; beside it may be others.
json section_of(const json& document) {
  for (auto& section : document)
    if (section.is_object() && section.contains("test_categories")) return section;
  return {};
}

std::string version_of(const json& document, const json& section) {
  auto version = member(section, "version", "").get<std::string>();
  auto metadata = member(section, "metadata", member(document, "metadata", json::object()));
  for (auto* name : {"version", "DCGM Version"})
    if (version.empty()) version = member(metadata, name, "").get<std::string>();
  return version;
}

json nothing(const std::string& why) {
  return {{"value", "n/a: " + why}, {"failing", json::array()}, {"passed", 0}, {"skipped", json::array()}, {"told", json::array()}};
}

}  // namespace

Result<json> read_dcgm(const std::string& text) {
  auto start = text.find('{');  // warnings of the program come first
  auto document = json::parse(start == std::string::npos ? "" : text.substr(start), nullptr, false);
  auto section = document.is_object() ? section_of(document) : json();
  if (section.is_null()) return fail(Errc::refused, "dcgmi does not say what it found: " + first_line(text));
  auto out = nothing("every test was skipped");
  out["version"] = version_of(document, section);
  for (auto& category : member(section, "test_categories", json::array()))
    for (auto& test : member(category, "tests", json::array()))
      for (auto& result : member(test, "results", json::array())) add_result(member(test, "name", "").get<std::string>(), result, out);
  if (!out["failing"].empty()) out["value"] = "failed";
  else if (out["passed"].get<int>() > 0) out["value"] = "ok";
  return out;
}

/// DCGM's diagnosis of args.level (1 to 4). A service that does not run, or refuses, is no verdict on the GPUs.
Outcome dcgm_diagnosis(const Task& task, Reporter& report) {
  auto level = std::to_string(static_cast<int>(std::clamp(task.number("level", 1), 1.0, 4.0)));
  report.progress("dcgmi diag -r " + level, -1);
  auto ended = run_program({"dcgmi", "diag", "-r", level, "--json"}, agent::boot_ms() + task.deadline_ms * 9 / 10);
  if (!ended) return {json::object(), "", ended.error().what};
  auto found = read_dcgm(ended->text);
  if (found) return {std::move(found).take(), "", ""};
  return {nothing(first_line(ended->text)), "", ""};
}

}  // namespace vt::checks
