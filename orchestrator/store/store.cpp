#include "orchestrator/store/store.hpp"

#include "orchestrator/store/files.hpp"
#include "orchestrator/store/ledger.hpp"
#include "orchestrator/store/store_impl.hpp"

namespace vt {

namespace {

constexpr auto kSubjectColumns = "subject_path, subject_commit, subject_dirty, subject_digest, subject_image";

void append(Args& args, const Subject& s) { args.insert(args.end(), {s.path, s.commit, s.dirty, s.digest, s.image}); }

bool is_end(LayerState s) {
  return s == LayerState::done || s == LayerState::blocked || s == LayerState::failed || s == LayerState::cancelled;
}

Status insert_run(Database& db, const RunRow& run, EpochMs now) {
  Args args{run.id, run.plan, run.purpose, run.plan_hash, run.catalogue_hash};
  append(args, run.subject);
  args.insert(args.end(), {run.level, run.selection, run.tool, name(run.origin), run.started ? run.started : now, run.ended,
                           run.holder.empty() ? this_holder() : run.holder, run.exit_code});
  VT_TRY(int added, db.run(std::string("INSERT INTO run (id, plan, purpose, plan_hash, catalogue_hash, ") + kSubjectColumns +
                               ", level, selection, tool, origin, started, ended, holder, exit_code)"
                               " VALUES (?,?,?,?,?, ?,?,?,?,?, ?,?,?,?,?,?,?,?) ON CONFLICT (id) DO NOTHING",
                           args));
  if (added == 0) return fail(Errc::refused, "run " + run.id + " is already recorded");
  return {};
}

Status insert_layer(Database& db, const std::string& run, const LayerRow& layer, int position) {
  Args args{run, layer.name, position, layer.provider, layer.proves, name(layer.state), layer.detail};
  append(args, layer.subject);
  args.insert(args.end(), {layer.started, layer.ended});
  VT_TRY([[maybe_unused]] int added, db.run(std::string("INSERT INTO layer (run, name, position, provider, proves, state, detail, ") +
                                                kSubjectColumns + ", started, ended) VALUES (?,?,?,?,?,?,?, ?,?,?,?,?, ?,?)",
                                            args));
  return {};
}

Status insert_planned(Database& db, const std::string& run, const PlannedRow& row) {
  VT_TRY([[maybe_unused]] int added, db.run("INSERT INTO planned (run, layer, check_id, title, severity, position) VALUES (?,?,?,?,?,?)",
                                            {run, row.layer, row.check, row.title, row.severity, row.position}));
  return {};
}

/// One row must have changed, else there is no such thing.
Status changed_one(Result<int> changed, const std::string& what) {
  if (!changed) return fail(changed.error());
  if (*changed == 0) return fail(Errc::not_found, "there is no " + what);
  return {};
}

}  // namespace

Status Store::Impl::write(const std::function<Status()>& body) {
  std::lock_guard hold(lock);
  return db->write(body);
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::open(const std::string& state_dir, const Clock& clock) {
  VT_CHECK(make_private_folder(state_dir));
  VT_TRY(auto folder, real_path(state_dir));
  VT_TRY(auto db, Database::open(folder + "/results.db", Database::Access::write, kResultsSchema));
  return std::unique_ptr<Store>(new Store(std::unique_ptr<Impl>(new Impl{std::move(db), clock, folder, {}, {}, {}})));
}

Result<std::unique_ptr<Store>> Store::open_existing(const std::string& state_dir, const Clock& clock) {
  VT_CHECK(check_private_folder(state_dir));
  VT_TRY(auto folder, real_path(state_dir));
  VT_TRY(auto db, Database::open(folder + "/results.db", Database::Access::read, kResultsSchema));
  return std::unique_ptr<Store>(new Store(std::unique_ptr<Impl>(new Impl{std::move(db), clock, folder, {}, {}, {}})));
}

Status Store::add_run(const RunRow& run, const std::vector<LayerRow>& layers, const std::vector<PlannedRow>& planned) {
  return impl_->write([&]() -> Status {
    VT_CHECK(insert_run(*impl_->db, run, impl_->clock.wall()));
    for (int position = 0; auto& layer : layers) VT_CHECK(insert_layer(*impl_->db, run.id, layer, position++));
    for (auto& row : planned) VT_CHECK(insert_planned(*impl_->db, run.id, row));
    return {};
  });
}

Status Store::take_run(const std::string& run) {
  return impl_->write([&]() -> Status {
    VT_TRY(auto holders,
           impl_->db->rows<std::string>("SELECT holder FROM run WHERE id = ? AND ended = 0", {run}, [](Row& row) { return row.text(); }));
    if (!holders.empty() && holders.front() != this_holder() && is_alive(holders.front()))
      return fail(Errc::refused, "run " + run + " is being run by another process (" + holders.front() + ")");
    return changed_one(impl_->db->run("UPDATE run SET holder = ?, ended = 0, exit_code = NULL WHERE id = ?", {this_holder(), run}),
                       "run " + run);
  });
}

Status Store::end_run(const std::string& run, int exit_code) {
  return impl_->write([&]() -> Status {
    return changed_one(impl_->db->run("UPDATE run SET ended = ?, exit_code = ? WHERE id = ?", {impl_->clock.wall(), exit_code, run}),
                       "run " + run);
  });
}

Status Store::move_layer(const std::string& run, const std::string& layer, LayerState state, const std::string& detail) {
  auto now = impl_->clock.wall();
  auto started = state == LayerState::waiting ? 0 : now;
  return impl_->write([&]() -> Status {
    return changed_one(
        impl_->db->run("UPDATE layer SET state = ?, detail = ?, started = CASE started WHEN 0 THEN ? ELSE started END, ended = ?"
                       " WHERE run = ? AND name = ?",
                       {name(state), detail, started, is_end(state) ? now : 0, run, layer}),
        "layer " + layer + " in run " + run);
  });
}

Status Store::set_layer_subject(const std::string& run, const std::string& layer, const Subject& subject) {
  Args args;
  append(args, subject);
  args.insert(args.end(), {run, layer});
  return impl_->write([&]() -> Status {
    return changed_one(
        impl_->db->run(std::string("UPDATE layer SET (") + kSubjectColumns + ") = (?,?,?,?,?) WHERE run = ? AND name = ?", args),
        "layer " + layer + " in run " + run);
  });
}

}  // namespace vt
