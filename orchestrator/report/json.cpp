#include "orchestrator/report/json.hpp"

#include <nlohmann/json.hpp>

#include "orchestrator/report/outcome.hpp"
#include "orchestrator/store/codec.hpp"

namespace vt {

namespace {

using nlohmann::json;

constexpr int kVersion = 1;

json time(EpochMs ms) { return ms ? json(ms) : json(); }

json subject(const Subject& s) {
  if (s.path.empty()) return nullptr;
  return {{"path", s.path}, {"commit", s.commit}, {"dirty", s.dirty}, {"digest", s.digest}, {"image", s.image}};
}

json run(const RunView& view) {
  auto& r = view.run;
  return {{"id", r.id},
          {"plan", r.plan},
          {"purpose", r.purpose},
          {"plan_hash", r.plan_hash},
          {"catalogue_hash", r.catalogue_hash},
          {"tool", r.tool},
          {"level", r.level},
          {"origin", name(r.origin)},
          {"state", name(view.state)},
          {"started", time(r.started)},
          {"ended", time(r.ended)},
          {"recorded_exit_code", r.exit_code ? json(*r.exit_code) : json()},
          {"subject", subject(r.subject)}};
}

json counts(const VerdictCounts& c) {
  json out = json::object();
  for (auto v :
       {Verdict::pass, Verdict::warn, Verdict::fail, Verdict::skip, Verdict::blocked, Verdict::error, Verdict::cancelled, Verdict::info})
    out[std::string(name(v))] = c[v];
  out["no verdict"] = c.none;
  return out;
}

json layers(const RunView& view) {
  json out = json::array();
  for (auto& l : view.layers)
    out.push_back({{"name", l.row.name},
                   {"provider", l.row.provider},
                   {"proves", l.row.proves},
                   {"state", name(l.row.state)},
                   {"detail", l.row.detail},
                   {"subject", subject(l.row.subject)},
                   {"subject_differs", l.subject_differs},
                   {"hosts", l.hosts},
                   {"started", time(l.row.started)},
                   {"ended", time(l.row.ended)},
                   {"took_ms", l.took.count()},
                   {"spent_micro_usd", l.spent.micro},
                   {"counts", counts(l.counts)}});
  return out;
}

/// The deciding judgement as the store's codec writes it, with what this report knows beside it.
json result(const ViewRow& row, const std::string& layer, const std::string& host, const ViewCell& cell, const Catalogue& catalogue) {
  auto judgement = cell.deciding();
  json out = judgement ? to_json(*judgement) : json{{"verdict", "no verdict"}};
  out["check"] = row.check, out["layer"] = layer, out["host"] = host;
  out["title"] = row.title, out["severity"] = name(row.severity);
  if (auto check = catalogue.check(row.check)) out["requirement"] = check->requirement;
  if (!judgement) return out;
  if (judgement->verdict == Verdict::skip) out["covered_by"] = cell.covered_by;
  if (cell.judgements.size() > 1)
    for (auto& j : cell.judgements) out["subjects"].push_back(to_json(j));
  return out;
}

json results(const RunView& view, const Catalogue& catalogue) {
  json out = json::array();
  for (auto& row : view.rows)
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      if (row.cells[i].planned)
        out.push_back(result(row, view.layers[view.columns[i].layer].row.name, view.columns[i].host, row.cells[i], catalogue));
  return out;
}

json differences(const RunView& view) {
  json out = json::array();
  for (auto& d : view.differences)
    out.push_back({{"layer", d.layer},
                   {"host", d.what.host},
                   {"capability", d.what.capability},
                   {"predicted", d.what.predicted},
                   {"probed", d.what.probed},
                   {"evidence", d.what.evidence}});
  return out;
}

json artefacts(const RunView& view) {
  json out = json::array();
  for (auto& a : view.artefacts)
    out.push_back({{"layer", a.layer}, {"host", a.host}, {"check", a.check}, {"name", a.name}, {"sha256", a.sha256}, {"bytes", a.bytes}});
  return out;
}

json series(const RunView& view) {
  json out = json::array();
  for (auto& s : view.series) {
    json points = json::array();
    for (auto& point : s.points) points.push_back({point.ms, point.value});
    out.push_back({{"layer", s.layer},
                   {"host", s.host},
                   {"check", s.check},
                   {"attempt", s.attempt},
                   {"name", s.name},
                   {"unit", s.unit},
                   {"device", s.device},
                   {"count", s.count},
                   {"min", s.min},
                   {"mean", s.mean},
                   {"max", s.max},
                   {"points", points}});
  }
  return out;
}

}  // namespace

std::string json_report(const RunView& view, const Catalogue& catalogue) {
  auto outcome = outcome_of(view);
  json kept = json::array();
  for (auto& k : view.kept) kept.push_back({{"name", k.name}, {"detail", k.detail}});
  json out = {
      {"vault_test_report", kVersion},
      {"run", run(view)},
      {"layers", layers(view)},
      {"results", results(view, catalogue)},
      {"unproven", view.unproven},
      {"never_on_hardware", view.never_on_hardware},
      {"last_on_hardware", view.last_on_hardware},
      {"capability_differences", differences(view)},
      {"artefacts", artefacts(view)},
      {"series", series(view)},
      {"open_resources", view.open_resources},
      {"kept_resources", kept},
      {"spent_micro_usd", view.spent.micro},
      {"cap_micro_usd", view.cap ? json(view.cap->micro) : json()},
      {"created", view.created},
      {"outcome", {{"exit_code", outcome.exit_code}, {"sentence", outcome.sentence}, {"next", outcome.next}, {"cost", outcome.cost}}}};
  return out.dump(2, ' ', true, json::error_handler_t::replace) + "\n";  // ASCII: safe to look at in a terminal
}

}  // namespace vt
