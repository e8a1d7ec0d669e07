#include "orchestrator/cli/start_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "orchestrator/cli/hardware.hpp"
#include "orchestrator/cli/ledger_view.hpp"
#include "orchestrator/cli/progress_printer.hpp"
#include "orchestrator/cli/selection_text.hpp"
#include "orchestrator/cli/signals.hpp"
#include "orchestrator/cli/version.hpp"
#include "orchestrator/cli/workplace.hpp"
#include "orchestrator/cost/user_config.hpp"
#include "orchestrator/engine/engine.hpp"
#include "orchestrator/engine/subject.hpp"
#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/text.hpp"
#include "orchestrator/report/outcome.hpp"
#include "orchestrator/report/text.hpp"

namespace vt {

namespace {

/// Everything a run needs while it runs.
struct Running {
  const CommandLine& line;
  const PlanToRun& what;
  RunPlan run_plan;
  Selection selection;
  SystemClock clock;
  StopFlag& stop;
  std::unique_ptr<Store> store;
  std::unique_ptr<Ledger> ledger;
  RunRow row;
  Clouds clouds;
  Caps caps;  ///< the user's own
  Baselines baselines;
  LastMeasurements measured;
};

std::vector<LayerRow> layer_rows(const Running& r) {
  std::vector<LayerRow> rows;
  for (auto& l : r.run_plan.layers) {
    LayerRow row;
    row.run = r.row.id, row.name = l.layer->name, row.provider = l.layer->provider, row.proves = l.layer->proves,
    row.subject = r.row.subject;
    rows.push_back(row);
  }
  return rows;
}

std::vector<PlannedRow> planned_rows(const Running& r) {
  std::vector<PlannedRow> rows;
  for (auto& l : r.run_plan.layers)
    for (auto& planned : l.checks)
      rows.push_back({r.row.id, l.layer->name, planned.check->id, planned.check->title, std::string(name(planned.check->severity)),
                      static_cast<int>(rows.size())});
  return rows;
}

std::string subject_text(const Subject& s) {
  if (s.commit.empty()) return {};
  return s.path.substr(s.path.rfind('/') + 1) + " @" + s.commit.substr(0, 7) + (s.dirty ? " dirty" : " clean");
}

Status record_start(Running& r) {
  r.row.id = new_run_id(r.clock);
  r.row.plan = r.what.plan.name;
  r.row.purpose = r.what.plan.purpose;
  VT_TRY(r.row.plan_hash, r.store->put_document("plan", r.what.plan.resolved));
  VT_TRY(r.row.catalogue_hash, r.store->put_document("catalogue", r.what.catalogue.text));
  r.row.selection = selection_text(r.selection);
  r.row.tool = version_number();
  r.row.started = r.clock.wall();
  r.row.holder = this_holder();
  VT_CHECK(r.store->add_run(r.row, layer_rows(r), planned_rows(r)));
  VT_FAILPOINT("run.started");
  return r.store->add_event(r.row.id, "", event::RunStarted{r.row.plan, subject_text(r.row.subject)});
}

/// The kept host of --on RUN/LAYER; nullopt without --on.
Result<std::optional<Resource>> kept_host(Running& r) {
  if (r.line.on.empty()) return std::optional<Resource>();
  auto slash = r.line.on.rfind('/');
  if (slash == std::string::npos || r.run_plan.layers.size() != 1) return fail(Errc::usage, "--on wants RUN/LAYER and exactly one --layer");
  VT_TRY(auto run, r.store->run(r.line.on.substr(0, slash)));
  if (!run) return fail(Errc::usage, "--on: no run '" + r.line.on.substr(0, slash) + "'");
  VT_TRY(auto rows, r.ledger->of_run(run->id));
  for (auto& row : rows)
    if (row.layer == r.line.on.substr(slash + 1) && row.keep && row.state == ResourceState::ready) return std::optional<Resource>(row);
  return fail(Errc::usage,
              "--on: run " + run->id + " kept no host of layer '" + r.line.on.substr(slash + 1) + "'; see `vault-test resources`");
}

Result<RunView> final_view(Running& r) {
  VT_TRY(RunView view, view_run(*r.store, r.row.id));
  VT_TRY(auto resources, r.ledger->of_run(r.row.id));
  apply_ledger(view, resources, r.clock.wall());
  view.cap = stricter(r.caps, r.what.plan.budget, {}).run;
  view.never_on_hardware = never_on_hardware(view, r.what.catalogue.catalogue, r.measured);
  return view;
}

bool something_open(const Running& r) {
  auto rows = r.ledger->of_run(r.row.id);
  return !rows || std::any_of(rows->begin(), rows->end(), [](auto& row) { return is_open(row.state) && !row.keep; });
}

int conclude(Running& r, ProgressPrinter& printer) {
  auto view = final_view(r);
  if (!view) return refuse(view.error());
  view->state = RunView::State::ended;  // nothing runs any more; only the row does not say so yet
  auto outcome = outcome_of(*view);
  Status ended = failpoint_reached("run.ending");
  if (ended) ended = r.store->add_event(r.row.id, "", event::RunEnded{outcome.exit_code, outcome.sentence});
  if (ended) ended = r.store->end_run(r.row.id, outcome.exit_code);
  if (!ended) return refuse(ended.error());
  printer.finish();
  view = final_view(r);
  if (!view) return refuse(view.error());
  if (!r.line.json)
    print(text_report(*view, r.what.catalogue.catalogue, {terminal_width(STDOUT_FILENO), use_colour(r.line, STDOUT_FILENO)}));
  return outcome.exit_code;
}

Keep keep_of(const CommandLine& line) { return line.keep ? Keep::always : line.keep_on_failure ? Keep::on_failure : Keep::never; }

/// By name, from the environment; a rehearsal makes them up.
std::map<std::string, std::string> secrets_of(const Running& r) {
  std::map<std::string, std::string> out;
  for (auto& secret : r.what.plan.secrets)
    if (r.clouds.rehearsal()) out[secret] = "rehearsal-" + secret;
    else if (auto value = std::getenv(secret.c_str())) out[secret] = value;
  return out;
}

int see_through(Running& r, bool resumed) {
  auto kept = kept_host(r);
  if (!kept) return refuse(kept.error());
  ProgressPrinter printer(r.line, *r.store, r.clouds.rehearsal());
  Status begun = resumed ? r.store->add_event(r.row.id, "", event::RunResumed{this_holder()}) : record_start(r);
  if (begun && r.clouds.rehearsal())
    begun =
        r.store->add_event(r.row.id, "", event::Noted{"info", "stand-in hosts: " + r.clouds.says + "; every check as short as it goes"});
  if (!begun) return refuse(begun.error());
  Context context = make_context(*r.store, *r.ledger, r.clock, r.stop, r.clouds);
  context.caps = r.caps;
  context.secrets = secrets_of(r);
  context.baselines = r.baselines;
  context.cpu = r.line.device == "cpu";
  Status ran =
      run_all(context, {r.row.id, r.what.plan, r.run_plan, keep_of(r.line), *kept, r.row.subject.dirty ? "" : r.row.subject.digest});
  if (!ran) {
    printer.finish();
    std::fprintf(stderr, "vault-test: %s\nthe run is incomplete; `vault-test resume %s` goes on\n", printable(ran.error().what).c_str(),
                 r.row.id.c_str());
    return something_open(r) ? 5 : 3;
  }
  return conclude(r, printer);
}

/// The user's own limits; a file that cannot be read must not become "no limits".
Result<Caps> own_caps() {
  auto config = load_user_config(process_environment());
  std::vector<std::string> problems;
  for (auto& problem : config.problems) problems.push_back(problem.text());
  if (!problems.empty()) return fail(Errc::config, join(problems, "\n"));
  return config.caps;
}

Status open_databases(Running& r) {
  VT_TRY(r.ledger, Ledger::open(r.clouds.context.state_dir, r.clock));
  VT_TRY(r.store, Store::open(r.line.state_dir, r.clock));
  return {};
}

Status make_plan(Running& r) {
  r.selection.brief = r.clouds.rehearsal();
  VT_TRY(r.run_plan, make_run_plan(r.what.plan, r.what.catalogue.catalogue, offers_for(r.what.plan, r.clouds.context), r.selection));
  return {};
}

/// Everything that must be there is, before anything is touched.
Status nothing_missing(const Running& r) {
  std::vector<std::string> lacking;
  for (auto& missing : missing_to_run(r.what.plan, r.run_plan, r.clouds.context))
    if (missing.stops) lacking.push_back(missing.what);
  return lacking.empty() ? Status{} : Status(fail(Errc::config, "missing to run: " + join(lacking, "; ")));
}

/// A rehearsal goes on without: whoever tries a plan out need not have the repository it is for.
Status look_at_subject(Running& r) {
  if (!r.what.plan.subject) return {};
  auto subject = read_subject(*r.what.plan.subject);
  if (subject) r.row.subject = std::move(subject).take();
  else if (!r.clouds.rehearsal()) return fail(subject.error());
  else r.clouds.says += "; without the subject: " + subject.error().what;
  return {};
}

Status find_means(Running& r) {
  VT_TRY(r.caps, own_caps());
  VT_TRY(r.baselines, read_baselines(r.line));
  VT_TRY(r.measured, read_measurements(r.line));
  VT_TRY(r.clouds, open_clouds(r.line, r.clock));
  return {};
}

/// The emulator inside a run ends with it, and its hosts with it.
Status keeps_what_stays(const CommandLine& line) {
  bool keeps = line.keep || line.keep_on_failure;
  if (!keeps || line.rehearse.empty() || !line.emulator.empty()) return {};
  return fail(Errc::usage,
              "--keep with --rehearse: the emulated hosts end with the run; they stay with --emulator and a vault-emulator of its own");
}

Status prepare(Running& r) {
  VT_CHECK(keeps_what_stays(r.line));
  VT_CHECK(find_means(r));
  if (r.clouds.rehearsal()) r.row.origin = EvidenceOrigin::rehearsal;
  VT_CHECK(make_plan(r));
  VT_CHECK(nothing_missing(r));
  VT_CHECK(look_at_subject(r));
  return open_databases(r);
}

/// A run that came to its end with a verdict on the hardware is not gone on with; one that lost a host or its time is.
bool is_final(const RunRow& row) { return row.ended != 0 && (row.exit_code == 0 || row.exit_code == 1); }

int resume_row(const CommandLine& line, const RunRow& row, std::unique_ptr<Store> store) {
  if (is_final(row)) return refuse(Error{Errc::usage, "run " + row.id + " has ended; `vault-test run` starts a new one"});
  if (row.ended == 0 && is_alive(row.holder)) return refuse(Error{Errc::usage, "run " + row.id + " is still running"});
  auto plan_text = store->document(row.plan_hash);
  auto catalogue_text = store->document(row.catalogue_hash);
  if (!plan_text || !catalogue_text) return refuse(Error{Errc::storage, "run " + row.id + ": its plan or catalogue is not in the store"});
  PlanToRun what{{}, parse_catalogue(*catalogue_text)};
  auto loaded = load_resolved(*plan_text, row.plan, what.catalogue.catalogue, provider_schemas());
  if (!loaded.problems.empty()) return refuse(loaded.problems);
  what.plan = std::move(loaded.plan);
  Running r{line, what, {}, selection_from(row.selection), {}, stop_on_signals(), std::move(store), nullptr, row, {}, {}, {}, {}};
  Status ready = keeps_what_stays(line);
  if (ready) ready = find_means(r);
  if (ready) ready = make_plan(r);
  if (ready) ready = nothing_missing(r);
  if (ready) ready = r.store->take_run(row.id);
  if (ready) {
    auto ledger = Ledger::open(r.clouds.context.state_dir, r.clock);
    if (!ledger) return refuse(ledger.error());
    r.ledger = std::move(ledger).take();
  }
  return ready ? see_through(r, true) : refuse(ready.error());
}

}  // namespace

int start_run(const CommandLine& line, const PlanToRun& what) {
  Running r{line, what, {}, line.selection, {}, stop_on_signals(), nullptr, nullptr, {}, {}, {}, {}, {}};
  if (Status ready = prepare(r); !ready) return refuse(ready.error());
  return see_through(r, false);
}

int continue_run(const CommandLine& line) {
  SystemClock clock;
  auto existing = existing_store(line, clock);
  if (!existing) return refuse(existing.error());
  auto store = Store::open(line.state_dir, clock);
  if (!store) return refuse(store.error());
  auto row = (*store)->run(line.run);
  if (!row) return refuse(row.error());
  if (!*row) return refuse(Error{Errc::usage, "no run '" + line.run + "'; see `vault-test runs`"});
  RunRow found = **row;
  CommandLine again = line;
  if (found.origin == EvidenceOrigin::rehearsal && again.rehearse.empty()) again.rehearse = "auto";
  return resume_row(again, found, std::move(store).take());
}

}  // namespace vt
