#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "orchestrator/model/sha256.hpp"
#include "orchestrator/model/text.hpp"
#include "orchestrator/store/codec.hpp"
#include "orchestrator/store/files.hpp"
#include "orchestrator/store/names.hpp"
#include "orchestrator/store/store_impl.hpp"

namespace vt {

namespace {

nlohmann::json parsed(const std::string& text) { return nlohmann::json::parse(text, nullptr, false); }

Subject read_subject(Row& r) { return {.path = r.text(), .commit = r.text(), .dirty = r.flag(), .digest = r.text(), .image = r.text()}; }

// Each reader with the columns it reads, in the same order; braces are evaluated from left to right.
constexpr auto kRunColumns =
    "SELECT id, plan, purpose, plan_hash, catalogue_hash, subject_path, subject_commit, subject_dirty, subject_digest, subject_image,"
    " level, selection, tool, origin, started, ended, holder, exit_code FROM run";

RunRow read_run(Row& r) {
  return {.id = r.text(),
          .plan = r.text(),
          .purpose = r.text(),
          .plan_hash = r.text(),
          .catalogue_hash = r.text(),
          .subject = read_subject(r),
          .level = r.text(),
          .selection = r.text(),
          .tool = r.text(),
          .origin = enum_of(r.text(), EvidenceOrigin::imported),
          .started = r.number(),
          .ended = r.number(),
          .holder = r.text(),
          .exit_code = r.maybe_integer()};
}

constexpr auto kLayerColumns =
    "SELECT run, name, provider, proves, state, detail, subject_path, subject_commit, subject_dirty, subject_digest, subject_image,"
    " started, ended FROM layer";

LayerRow read_layer(Row& r) {
  return {.run = r.text(),
          .name = r.text(),
          .provider = r.text(),
          .proves = r.text(),
          .state = enum_of(r.text(), LayerState::cancelled),
          .detail = r.text(),
          .subject = read_subject(r),
          .started = r.number(),
          .ended = r.number()};
}

PlannedRow read_planned(Row& r) {
  return {.run = r.text(), .layer = r.text(), .check = r.text(), .title = r.text(), .severity = r.text(), .position = r.integer()};
}

ObservationKey read_key(Row& r) {
  return {.run = r.text(),
          .layer = r.text(),
          .host = r.text(),
          .attempt = r.integer(),
          .phase = r.text(),
          .check = r.text(),
          .subject = r.text(),
          .sample = r.integer()};
}

constexpr auto kJudgementColumns =
    "SELECT j.run, j.layer, j.host, j.attempt, j.phase, j.check_id, j.subject, j.sample, j.verdict, j.cause, j.reason, j.capability,"
    " j.evidence, j.judged, j.origin, j.at FROM newest j";

Judgement read_judgement(Row& r) {
  return {.key = read_key(r),
          .verdict = enum_of(r.text(), Verdict::info),
          .cause = enum_of(r.text(), Cause::rehearsal),
          .reason = r.text(),
          .capability = r.text(),
          .evidence = r.text(),
          .values = value_judgements_from(parsed(r.text())),
          .origin = enum_of(r.text(), EvidenceOrigin::imported),
          .at = r.number()};
}

Output read_output(Row& r) {
  return {
      .head = r.text(), .tail = r.text(), .bytes = static_cast<std::uint64_t>(r.number()), .lines = static_cast<std::uint64_t>(r.number())};
}

constexpr auto kObservationColumns =
    "SELECT run, layer, host, attempt, phase, check_id, subject, sample, origin, device, agent, started, took_ms, exit_code, signal,"
    " timed_out, measured, out_head, out_tail, out_bytes, out_lines, err_head, err_tail, err_bytes, err_lines, problem FROM observation";

Observation read_observation(Row& r) {
  return {.key = read_key(r),
          .origin = enum_of(r.text(), EvidenceOrigin::imported),
          .device = r.text(),
          .agent = r.text(),
          .started = r.number(),
          .took = Duration(r.number()),
          .exit_code = r.maybe_integer(),
          .signal = r.integer(),
          .timed_out = r.flag(),
          .values = values_from(parsed(r.text())),
          .out = read_output(r),
          .err = read_output(r),
          .problem = r.text()};
}

TookRow read_took(Row& r) {
  return {.run = r.text(), .layer = r.text(), .host = r.text(), .check = r.text(), .started = r.number(), .took = Duration(r.number())};
}

std::optional<Value> read_value(Row& r) {
  auto text = r.maybe_text();
  return text ? std::optional<Value>(value_from(parsed(*text))) : std::nullopt;
}

CapabilityRow read_capability(Row& r) {
  return {.layer = r.text(),
          .host = r.text(),
          .fact = {.id = r.text(),
                   .value = read_value(r),
                   .evidence = r.text(),
                   .origin = enum_of(r.text(), FactOrigin::probed),
                   .scope = enum_of(r.text(), FactScope::host)}};
}

ArtefactRow read_artefact(Row& r) {
  return {.run = r.text(),
          .layer = r.text(),
          .host = r.text(),
          .check = r.text(),
          .name = r.text(),
          .sha256 = r.text(),
          .bytes = static_cast<std::uint64_t>(r.number()),
          .at = r.number()};
}

/// The main value's text, or "name text" of each where there is none.
std::string measured_text(const std::vector<ValueJudgement>& values) {
  std::vector<std::string> parts;
  for (auto& v : values) {
    if (v.value == "value") return v.measured;
    parts.push_back(v.value + " " + v.measured);
  }
  return join(parts, ", ");
}

HistoryRow read_history(Row& r) {
  return {.run = r.text(),
          .layer = r.text(),
          .host = r.text(),
          .at = r.number(),
          .verdict = enum_of(r.text(), Verdict::info),
          .reason = r.text(),
          .measured = measured_text(value_judgements_from(parsed(r.text()))),
          .subject_commit = r.text()};
}

Error ambiguous(const std::string& prefix, const std::vector<RunRow>& runs) {
  constexpr std::size_t shown = 5;
  std::vector<std::string> ids;
  for (auto& run : runs) ids.push_back(ids.size() < shown ? run.id : "…");
  ids.resize(std::min(ids.size(), shown + 1));
  return {Errc::usage, "'" + prefix + "' could be " + join(ids, ", ") + "; expected more of the run's id"};
}

/// Nothing against it, something real for it, and every planned check was judged.
bool all_good(const std::vector<Judgement>& judgements, const std::vector<PlannedRow>& planned, const std::string& layer) {
  bool proven = false;
  std::set<std::string> judged;
  for (auto& j : judgements) {
    if (j.key.layer != layer) continue;
    if (counts_against(j.verdict)) return false;
    proven = proven || (proves(j.verdict) && j.origin == EvidenceOrigin::real);
    judged.insert(j.key.check);
  }
  return proven && std::ranges::all_of(planned, [&](auto& p) { return p.layer != layer || judged.contains(p.check); });
}

}  // namespace

Result<std::string> Store::document(const std::string& hash) const {
  VT_TRY(auto found, impl_->rows<std::string>("SELECT text FROM document WHERE hash = ?", {hash}, [](Row& row) { return row.text(); }));
  if (found.empty()) return fail(Errc::not_found, "there is no document " + hash);
  return found.front();
}

Result<std::string> Store::artefact(const std::string& sha256) const {
  if (sha256.size() != 64 || sha256.find_first_not_of("0123456789abcdef") != std::string::npos)
    return fail(Errc::not_found, "'" + sha256 + "' is not the SHA-256 of an artefact");
  VT_TRY(auto bytes, read_file(impl_->artefact_path(sha256)));
  if (sha256_hex(bytes) != sha256) return fail(Errc::storage, impl_->artefact_path(sha256) + ": damaged, its content has another hash");
  return bytes;
}

Result<std::vector<RunRow>> Store::runs(int limit) const {
  return impl_->rows<RunRow>(std::string(kRunColumns) + " ORDER BY started DESC, number DESC LIMIT ?", {limit}, read_run);
}

Result<std::optional<RunRow>> Store::run(const std::string& id) const {
  auto where = id == "last" ? " WHERE ? <> '' ORDER BY started DESC, number DESC LIMIT 1"
                            : " WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id = ?1 DESC, started DESC, number DESC";
  VT_TRY(auto found, impl_->rows<RunRow>(std::string(kRunColumns) + where, {id}, read_run));
  if (found.empty()) return std::optional<RunRow>();
  if (found.size() > 1 && found.front().id != id) return fail(ambiguous(id, found));
  return std::optional<RunRow>(std::move(found.front()));
}

Result<std::vector<LayerRow>> Store::layers(const std::string& run) const {
  return impl_->rows<LayerRow>(std::string(kLayerColumns) + " WHERE run = ? ORDER BY position", {run}, read_layer);
}

Result<std::vector<PlannedRow>> Store::planned(const std::string& run) const {
  return impl_->rows<PlannedRow>(
      "SELECT p.run, p.layer, p.check_id, p.title, p.severity, p.position FROM planned p"
      " JOIN layer l ON l.run = p.run AND l.name = p.layer WHERE p.run = ? ORDER BY l.position, p.position",
      {run}, read_planned);
}

Result<std::vector<Judgement>> Store::judgements(const std::string& run) const {
  return impl_->rows<Judgement>(std::string(kJudgementColumns) +
                                    " JOIN layer l ON l.run = j.run AND l.name = j.layer"
                                    " LEFT JOIN planned p ON p.run = j.run AND p.layer = j.layer AND p.check_id = j.check_id"
                                    " WHERE j.run = ? ORDER BY l.position, p.position IS NULL, p.position, j.host, j.subject, j.id",
                                {run}, read_judgement);
}

Result<std::vector<Observation>> Store::observations(const std::string& run, const std::string& layer, const std::string& check) const {
  return impl_->rows<Observation>(std::string(kObservationColumns) + " WHERE run = ? AND layer = ? AND check_id = ? ORDER BY id",
                                  {run, layer, check}, read_observation);
}

Result<std::vector<TookRow>> Store::took(const std::string& run) const {
  return impl_->rows<TookRow>("SELECT run, layer, host, check_id, started, took_ms FROM observation WHERE run = ? ORDER BY id", {run},
                              read_took);
}

Result<std::vector<CapabilityRow>> Store::capabilities(const std::string& run) const {
  return impl_->rows<CapabilityRow>(
      "SELECT c.layer, c.host, c.id, c.value, c.evidence, c.origin, c.scope FROM capability c"
      " JOIN layer l ON l.run = c.run AND l.name = c.layer WHERE c.run = ? ORDER BY l.position, c.host, c.id",
      {run}, read_capability);
}

Result<std::vector<ArtefactRow>> Store::artefacts(const std::string& run) const {
  return impl_->rows<ArtefactRow>("SELECT run, layer, host, check_id, name, sha256, bytes, at FROM artefact WHERE run = ? ORDER BY id",
                                  {run}, read_artefact);
}

Result<std::vector<Event>> Store::events(const std::string& run, std::int64_t after_sequence) const {
  VT_TRY(auto found, impl_->rows<std::optional<Event>>("SELECT json FROM event WHERE run = ? AND sequence > ? ORDER BY sequence",
                                                       {run, after_sequence}, [](Row& row) { return event_from(parsed(row.text())); }));
  std::vector<Event> out;
  for (auto& event : found)
    if (event) out.push_back(std::move(*event));
  return out;
}

Result<std::vector<HistoryRow>> Store::history(const std::string& check, int limit) const {
  return impl_->rows<HistoryRow>(
      "SELECT j.run, j.layer, j.host, j.at, j.verdict, j.reason, j.judged,"
      " CASE l.subject_commit WHEN '' THEN r.subject_commit ELSE l.subject_commit END"
      " FROM newest j JOIN run r ON r.id = j.run JOIN layer l ON l.run = j.run AND l.name = j.layer"
      " WHERE j.check_id = ? ORDER BY j.id DESC LIMIT ?",
      {check, limit}, read_history);
}

Result<std::optional<EpochMs>> Store::passed(const std::string& plan, const std::string& layer, const std::string& subject_digest,
                                             EpochMs since) const {
  // A layer that saw another subject than its run proves that one. A selection may have left checks out.
  VT_TRY(
      auto candidates,
      impl_->rows<RunRow>(std::string(kRunColumns) +
                              " WHERE plan = ?1 AND origin = 'real' AND ended > 0 AND ended >= ?2 AND selection IN ('', '{}') AND EXISTS ("
                              "SELECT 1 FROM layer l WHERE l.run = id AND l.name = ?3 AND l.state = 'done'"
                              " AND CASE l.subject_digest WHEN '' THEN run.subject_digest ELSE l.subject_digest END = ?4)"
                              " ORDER BY ended DESC",
                          {plan, since, layer, subject_digest}, read_run));
  for (auto& run : candidates) {
    VT_TRY(auto judged, judgements(run.id));
    VT_TRY(auto asked, planned(run.id));
    if (all_good(judged, asked, layer)) return std::optional<EpochMs>(run.ended);
  }
  return std::optional<EpochMs>();
}

}  // namespace vt
