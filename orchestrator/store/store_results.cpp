#include <nlohmann/json.hpp>

#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/sha256.hpp"
#include "orchestrator/store/codec.hpp"
#include "orchestrator/store/files.hpp"
#include "orchestrator/store/store_impl.hpp"

namespace vt {

namespace {

constexpr auto kKeyColumns = "run, layer, host, attempt, phase, check_id, subject, sample";

Args key_args(const ObservationKey& k) { return {k.run, k.layer, k.host, k.attempt, k.phase, k.check, k.subject, k.sample}; }

std::string text_of(const ObservationKey& k) {
  auto subject = k.subject.empty() ? "" : " (" + k.subject + ")";
  return k.check + subject + " on " + k.layer + "/" + k.host + ", attempt " + std::to_string(k.attempt);
}

/// Refused if that key is there already; runs in the caller's transaction.
Status insert_once(Database& db, const std::string& sql, const Args& args, const ObservationKey& key) {
  VT_TRY(int added, db.run(sql + " ON CONFLICT (run, layer, host, check_id, subject, attempt, phase, sample) DO NOTHING", args));
  if (added == 0) return fail(Errc::refused, "already recorded: " + text_of(key));
  return {};
}

Status insert_observation(Database& db, const Observation& o) {
  auto args = key_args(o.key);
  args.insert(args.end(), {name(o.origin), o.device, o.agent, o.started, o.took.count(), o.exit_code, o.signal, o.timed_out,
                           json_text(to_json(o.values)), o.out.head, o.out.tail, o.out.bytes, o.out.lines, o.err.head, o.err.tail,
                           o.err.bytes, o.err.lines, o.problem});
  return insert_once(db,
                     std::string("INSERT INTO observation (") + kKeyColumns +
                         ", origin, device, agent, started, took_ms, exit_code, signal, timed_out, measured, out_head, out_tail, out_bytes,"
                         " out_lines, err_head, err_tail, err_bytes, err_lines, problem)"
                         " VALUES (?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                     args, o.key);
}

Status insert_judgement(Database& db, const Judgement& j, bool observed) {
  auto args = key_args(j.key);
  args.insert(args.end(),
              {name(j.verdict), name(j.cause), j.reason, j.capability, j.evidence, json_text(to_json(j.values)), name(j.origin), j.at});
  return insert_once(db,
                     std::string("INSERT INTO judgement (observation, ") + kKeyColumns +
                         ", verdict, cause, reason, capability, evidence, judged, origin, at) VALUES (" +
                         (observed ? "last_insert_rowid()" : "NULL") + ", ?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?,?)",
                     args, j.key);
}

Status upsert_capability(Database& db, const std::string& run, const std::string& layer, const std::string& host, const Fact& fact) {
  auto value = fact.value ? std::optional<std::string>(json_text(to_json(*fact.value))) : std::nullopt;
  VT_TRY([[maybe_unused]] int changed,
         db.run("INSERT INTO capability (run, layer, host, id, value, evidence, origin, scope) VALUES (?,?,?,?,?,?,?,?)"
                " ON CONFLICT (run, layer, host, id) DO UPDATE SET value = excluded.value, evidence = excluded.evidence,"
                " origin = excluded.origin, scope = excluded.scope",
                {run, layer, host, fact.id, value, fact.evidence, name(fact.origin), name(fact.scope)}));
  return {};
}

Result<std::int64_t> next_sequence(Database& db, const std::string& run) {
  VT_TRY(auto next, db.rows<std::int64_t>("SELECT coalesce(max(sequence), 0) + 1 FROM event WHERE run = ?", {run},
                                          [](Row& row) { return row.number(); }));
  return next.front();
}

/// Gives the event its number.
Status insert_event(Database& db, Event& event) {
  VT_TRY(event.sequence, next_sequence(db, event.run));
  VT_TRY([[maybe_unused]] int added,
         db.run("INSERT INTO event (run, sequence, json) VALUES (?,?,?)", {event.run, event.sequence, json_text(to_json(event))}));
  return {};
}

}  // namespace

Result<std::string> Store::put_document(const std::string& kind, const std::string& text) {
  auto hash = sha256_hex(text);
  VT_CHECK(impl_->write([&]() -> Status {
    VT_TRY([[maybe_unused]] int added,
           impl_->db->run("INSERT INTO document (hash, kind, text, at) VALUES (?,?,?,?) ON CONFLICT (hash) DO NOTHING",
                          {hash, kind, text, impl_->clock.wall()}));
    return {};
  }));
  return hash;
}

Status Store::add_result(const Observation* observation, const Judgement& judgement, const EventBody* told) {
  std::lock_guard in_order(impl_->event_lock);
  Event event{.at = impl_->clock.wall(), .run = judgement.key.run, .layer = judgement.key.layer, .body = told ? *told : EventBody{}};
  Status written = impl_->write([&]() -> Status {
    if (observation) VT_CHECK(insert_observation(*impl_->db, *observation));
    VT_CHECK(insert_judgement(*impl_->db, judgement, observation != nullptr));
    return told ? insert_event(*impl_->db, event) : Status{};
  });
  VT_CHECK(written);
  if (told && impl_->listener) impl_->listener(event);
  return {};
}

Status Store::add_capabilities(const std::string& run, const std::string& layer, const std::string& host,
                               const Capabilities& capabilities) {
  return impl_->write([&]() -> Status {
    for (auto& [id, fact] : capabilities.all()) VT_CHECK(upsert_capability(*impl_->db, run, layer, host, fact));
    return {};
  });
}

Status Store::add_artefact(const ArtefactRow& row, const std::string& bytes) {
  auto hash = sha256_hex(bytes);
  auto path = impl_->artefact_path(hash);
  VT_FAILPOINT("artefact.write");
  VT_CHECK(make_private_folder(path.substr(0, path.rfind('/'))));
  VT_CHECK(replace_file(path, bytes));
  return impl_->write([&]() -> Status {
    VT_TRY([[maybe_unused]] int added,
           impl_->db->run("INSERT INTO artefact (run, layer, host, check_id, name, sha256, bytes, at) VALUES (?,?,?,?,?,?,?,?)",
                          {row.run, row.layer, row.host, row.check, row.name, hash, bytes.size(), row.at ? row.at : impl_->clock.wall()}));
    return {};
  });
}

Status Store::add_event(const std::string& run, const std::string& layer, const EventBody& body) {
  std::lock_guard in_order(impl_->event_lock);
  Event event{.at = impl_->clock.wall(), .run = run, .layer = layer, .body = body};
  VT_CHECK(impl_->write([&] { return insert_event(*impl_->db, event); }));
  if (impl_->listener) impl_->listener(event);
  return {};
}

void Store::listen(std::function<void(const Event&)> listener) {
  std::lock_guard hold(impl_->event_lock);
  impl_->listener = std::move(listener);
}

}  // namespace vt
