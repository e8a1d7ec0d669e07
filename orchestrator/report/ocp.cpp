#include "orchestrator/report/ocp.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"
#include "orchestrator/report/outcome.hpp"

namespace vt {

namespace {

using nlohmann::json;

bool is_numeric(ValueType type) { return type == ValueType::number || type == ValueType::integer; }

/// Of a numeric value "126", "126 TFLOP/s: 60 % of …": the number in front. Version 12.10 is no number, and stays text as all that begins
/// with none.
json number_or_text(const std::string& text, ValueType type) {
  char* end = nullptr;
  double value = is_numeric(type) ? std::strtod(text.c_str(), &end) : 0;
  bool number = end && end != text.c_str() && (*end == '\0' || *end == ' ') && std::isfinite(value);
  return number ? json(value) : json(text);
}

/// The rule as a validator, where the format has one for it: what orders wants a number.
json validator_of(const std::string& rule, ValueType of) {
  constexpr std::array<std::array<std::string_view, 2>, 4> kTypes{
      {{"at-least ", "GREATER_THAN_OR_EQUAL"}, {"at-most ", "LESS_THAN_OR_EQUAL"}, {"below ", "LESS_THAN"}, {"equals ", "EQUAL"}}};
  for (auto& [word, type] : kTypes) {
    if (!rule.starts_with(word)) continue;
    auto value = number_or_text(rule.substr(word.size()), of);
    if (value.is_number() || type == "EQUAL") return {{"name", rule}, {"type", type}, {"value", value}};
  }
  return {};
}

class Ocp {
 public:
  Ocp(const RunView& view, const Catalogue& catalogue) : view_(view), catalogue_(catalogue) {}

  std::string all() {
    write({{"schemaVersion", {{"major", 2}, {"minor", 0}}}}, view_.run.started);
    start();
    for (auto& row : view_.rows)
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        if (row.cells[i].planned) step(row, row.cells[i], view_.columns[i]);
    end();
    return std::move(out_);
  }

 private:
  void write(json artifact, EpochMs at) {
    artifact["sequenceNumber"] = number_++;
    artifact["timestamp"] = utc_text(at ? at : view_.run.started);
    out_ += artifact.dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
  }
  void run_artifact(const std::string& key, json body, EpochMs at) { write({{"testRunArtifact", {{key, std::move(body)}}}}, at); }
  void step_artifact(const std::string& key, json body, EpochMs at) {
    write({{"testStepArtifact", {{"testStepId", std::to_string(step_)}, {key, std::move(body)}}}}, at);
  }

  void start() {
    json platforms = json::array();
    for (auto& column : view_.columns) platforms.push_back({{"info", column.label}});
    run_artifact("testRunStart",
                 {{"name", view_.run.plan},
                  {"version", view_.run.tool},
                  {"commandLine", "vault-test run"},
                  {"parameters", {{"selection", view_.run.selection}}},
                  {"dutInfo", {{"dutInfoId", view_.run.id}, {"name", view_.run.plan}, {"platformInfos", platforms}}},
                  {"metadata", {{"origin", name(view_.run.origin)}, {"purpose", view_.run.purpose}}}},
                 view_.run.started);
  }

  void step(const ViewRow& row, const ViewCell& cell, const ViewColumn& column) {
    auto at = cell.judgements.empty() ? view_.run.ended : cell.judgements.front().at;
    step_artifact("testStepStart", {{"name", row.check + " on " + column.label}}, at);
    if (cell.judgements.empty()) step_artifact("error", {{"symptom", "no-verdict"}, {"message", "nobody said anything about it"}}, at);
    for (auto& j : cell.judgements) judgement(row, j);
    series(row.check, view_.layers[column.layer].row.name, column.host, at);
    step_artifact("testStepEnd", {{"status", status_of(cell)}}, at);
    ++step_;
  }

  void judgement(const ViewRow& row, const Judgement& j) {
    auto check = catalogue_.check(row.check);
    for (auto& v : j.values) measurements(v, check ? check->value(v.value) : nullptr, j.at);
    auto said = row.title + (j.reason.empty() ? "" : ": " + j.reason);
    if (proves(j.verdict))
      return step_artifact("diagnosis",
                           {{"verdict", row.check + "-" + std::string(name(j.verdict))},
                            {"type", j.origin != EvidenceOrigin::real ? "UNKNOWN"
                                     : j.verdict == Verdict::fail     ? "FAIL"
                                                                      : "PASS"},
                            {"message", said}},
                           j.at);
    if (counts_against(j.verdict))
      return step_artifact("error", {{"symptom", std::string(name(j.verdict)) + "-" + std::string(name(j.cause))}, {"message", said}},
                           j.at);
    step_artifact("log", {{"severity", "INFO"}, {"message", std::string(name(j.verdict)) + ": " + said}}, j.at);
  }

  /// One per value, or per element of a list (one per GPU).
  void measurements(const ValueJudgement& v, const ValueSpec* spec, EpochMs at) {
    auto unit = spec ? spec->unit : "";
    auto text = v.measured;
    if (!unit.empty() && text.ends_with(" " + unit)) text.resize(text.size() - unit.size() - 1);
    auto type = spec ? spec->type : ValueType::text;
    bool list = is_numeric(type) && ((spec && spec->read.all) || text.find(", ") != std::string::npos);
    auto parts = list ? split(text, ',') : std::vector<std::string>{text};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      json body{{"name", v.value}, {"value", number_or_text(parts[i], type)}};
      if (!unit.empty()) body["unit"] = unit;
      if (list) body["metadata"]["index"] = i;
      if (auto validator = validator_of(v.rule, type); !validator.is_null()) body["validators"] = json::array({validator});
      else if (!v.rule.empty()) body["metadata"]["rule"] = v.rule;
      step_artifact("measurement", std::move(body), at);
    }
  }

  void series(const std::string& check, const std::string& layer, const std::string& host, EpochMs judged) {
    for (auto& s : view_.series) {
      if (s.check != check || s.layer != layer || s.host != host) continue;
      auto id = std::to_string(step_) + "." + std::to_string(series_++);
      auto began = s.started ? s.started : judged;
      step_artifact("measurementSeriesStart",
                    {{"measurementSeriesId", id}, {"name", s.name}, {"unit", s.unit}, {"metadata", {{"device", s.device}}}}, began);
      for (std::size_t i = 0; i < s.points.size(); ++i) {
        auto at = began + s.points[i].ms;
        step_artifact("measurementSeriesElement",
                      {{"index", i},
                       {"measurementSeriesId", id},
                       {"value", s.points[i].value},
                       {"timestamp", utc_text(at)},
                       {"metadata", {{"ms", s.points[i].ms}}}},
                      at);
      }
      step_artifact("measurementSeriesEnd", {{"measurementSeriesId", id}, {"totalCount", s.points.size()}}, judged);
    }
  }

  static std::string status_of(const ViewCell& cell) {
    auto j = cell.deciding();
    if (!j || (counts_against(j->verdict) && j->verdict != Verdict::fail)) return "ERROR";
    return j->verdict == Verdict::skip ? "SKIP" : "COMPLETE";
  }

  void end() {
    auto code = outcome_of(view_).exit_code;
    auto result = view_.rehearsal() ? "NOT_APPLICABLE" : code == 0 ? "PASS" : code == 1 ? "FAIL" : "NOT_APPLICABLE";
    run_artifact("testRunEnd", {{"status", code == 0 || code == 1 ? "COMPLETE" : "ERROR"}, {"result", result}}, view_.run.ended);
  }

  const RunView& view_;
  const Catalogue& catalogue_;
  std::string out_;
  int number_ = 0, step_ = 0, series_ = 0;
};

}  // namespace

std::string ocp_report(const RunView& view, const Catalogue& catalogue) { return Ocp(view, catalogue).all(); }

}  // namespace vt
