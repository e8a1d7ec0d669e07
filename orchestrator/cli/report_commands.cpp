#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "orchestrator/cli/commands.hpp"
#include "orchestrator/cli/hardware.hpp"
#include "orchestrator/cli/ledger_view.hpp"
#include "orchestrator/cli/workplace.hpp"
#include "orchestrator/cost/user_config.hpp"
#include "orchestrator/model/text.hpp"
#include "orchestrator/report/formats.hpp"
#include "orchestrator/report/outcome.hpp"
#include "orchestrator/report/text.hpp"
#include "orchestrator/report/why.hpp"
#include "orchestrator/store/codec.hpp"

namespace vt {

namespace {

/// A stored run with the catalogue it was judged against.
struct Stored {
  std::unique_ptr<Store> store;
  RunView view;
  Catalogue catalogue;
};

/// What the ledger says beats what the run's events knew.
void ask_ledger(const CommandLine& line, const Clock& clock, RunView& view) {
  auto where = line;
  if (view.rehearsal()) where.rehearse = "auto";  // rehearsals have a ledger of their own
  auto ledger = existing_ledger(where, clock);
  if (!ledger) return;
  if (auto rows = (*ledger)->of_run(view.run.id)) apply_ledger(view, *rows, clock.wall());
}

/// The cap it ran under, as plan and user configuration say it now.
std::optional<Money> cap_of(const Stored& stored) {
  auto text = stored.store->document(stored.view.run.plan_hash);
  if (!text) return std::nullopt;
  auto plan = load_resolved(*text, stored.view.run.plan, stored.catalogue, provider_schemas());
  return stricter(load_user_config(process_environment()).caps, plan.plan.budget, {}).run;
}

Result<Stored> read_run(const CommandLine& line) {
  static const SystemClock clock;
  Stored out;
  VT_TRY(out.store, existing_store(line, clock));
  VT_TRY(out.view, view_run(*out.store, line.run));
  VT_TRY(std::string text, out.store->document(out.view.run.catalogue_hash));
  out.catalogue = parse_catalogue(text).catalogue;
  ask_ledger(line, clock, out.view);
  out.view.cap = cap_of(out);
  VT_TRY(auto measured, read_measurements(line));
  out.view.never_on_hardware = never_on_hardware(out.view, out.catalogue, measured);
  out.view.last_on_hardware = last_on_hardware(out.view, out.catalogue, measured);
  return out;
}

TextStyle style_for(const CommandLine& line) { return {terminal_width(STDOUT_FILENO), use_colour(line, STDOUT_FILENO)}; }

int write_out(const CommandLine& line, const std::string& text) {
  if (line.output.empty()) return print(text) ? 0 : 3;
  std::ofstream file(line.output, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return file ? 0 : refuse(Error{Errc::storage, "cannot write " + line.output});
}

nlohmann::json run_json(const RunRow& row) {
  return {{"run", row.id},
          {"plan", row.plan},
          {"started", utc_text(row.started)},
          {"ended", row.ended ? nlohmann::json(utc_text(row.ended)) : nullptr},
          {"exit_code", row.exit_code ? nlohmann::json(*row.exit_code) : nullptr},
          {"subject", row.subject.commit},
          {"origin", name(row.origin)}};
}

std::string state_of(const RunRow& row) {
  if (row.ended) return row.exit_code ? "exit " + std::to_string(*row.exit_code) : "ended";
  return is_alive(row.holder) ? "running" : "interrupted";
}

std::string log_text(const Observation& seen) {
  std::string head = "== " + seen.key.check + " on " + seen.key.host + ", attempt " + std::to_string(seen.key.attempt) + ", " +
                     utc_text(seen.started) + (seen.exit_code ? ", status " + std::to_string(*seen.exit_code) : "") +
                     (seen.problem.empty() ? "" : ", " + seen.problem) + "\n";
  for (auto [label, output] : {std::pair{"stdout", &seen.out}, std::pair{"stderr", &seen.err}}) {
    if (output->bytes == 0) continue;
    head += std::string("-- ") + label + ": " + std::to_string(output->bytes) + " bytes, " + std::to_string(output->lines) + " lines\n" +
            output->head;
    if (output->cut()) head += "\n[… " + std::to_string(output->bytes - output->head.size() - output->tail.size()) + " bytes left out …]\n";
    head += output->tail;
    if (head.back() != '\n') head += '\n';
  }
  return head;
}

Result<std::string> logs_of(const Stored& stored, const CommandLine& line) {
  std::string out;
  for (auto& row : stored.view.rows) {
    if (!line.check.empty() && row.check != line.check) continue;
    VT_TRY(auto seen, stored.store->observations(stored.view.run.id, line.layer, row.check));
    for (auto& observation : seen) out += log_text(observation);
  }
  for (auto& kept : stored.view.artefacts) {
    if (kept.layer != line.layer || (!line.check.empty() && kept.check != line.check)) continue;
    VT_TRY(std::string bytes, stored.store->artefact(kept.sha256));
    out += "== " + kept.name + " kept when " + kept.check + " failed on " + kept.host + "\n" + bytes +
           (bytes.empty() || bytes.back() != '\n' ? "\n" : "");
  }
  return out;
}

std::string unknown_layer(const Stored& stored, const std::string& layer) {
  std::vector<std::string> names;
  for (auto& l : stored.view.layers) {
    if (l.row.name == layer) return {};
    names.push_back(l.row.name);
  }
  return "run " + stored.view.run.id + " has no layer '" + layer + "'; it has " + join(names, ", ");
}

}  // namespace

int runs_command(const CommandLine& line) {
  SystemClock clock;
  auto store = existing_store(line, clock);
  if (!store) return refuse(store.error());
  auto rows = (*store)->runs(line.limit);
  if (!rows) return refuse(rows.error());
  std::string out;
  auto list = nlohmann::json::array();
  for (auto& row : *rows) {
    list.push_back(run_json(row));
    char buffer[160];
    std::snprintf(buffer, sizeof buffer, "%-26s %-20s %-12s %s\n", row.id.c_str(), utc_text(row.started).c_str(), state_of(row).c_str(),
                  row.plan.c_str());
    out += buffer;
  }
  return print(line.json ? list.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n" : out) ? 0 : 3;
}

int status_command(const CommandLine& line) {
  auto stored = read_run(line);
  if (!stored) return refuse(stored.error());
  auto text = line.json ? render("json", stored->view, stored->catalogue)
                        : Result<std::string>(text_report(stored->view, stored->catalogue, style_for(line)));
  if (!text) return refuse(text.error());
  print(*text);
  return outcome_of(stored->view).exit_code;
}

int report_command(const CommandLine& line) {
  auto stored = read_run(line);
  if (!stored) return refuse(stored.error());
  auto text = render(line.json ? "json" : line.format, stored->view, stored->catalogue);
  return text ? write_out(line, *text) : refuse(text.error());
}

int why_command(const CommandLine& line) {
  auto stored = read_run(line);
  if (!stored) return refuse(stored.error());
  auto text = why_text(*stored->store, stored->view, line.check, stored->catalogue.check(line.check), style_for(line));
  return text ? write_out(line, *text) : refuse(text.error());
}

int logs_command(const CommandLine& line) {
  auto stored = read_run(line);
  if (!stored) return refuse(stored.error());
  if (auto wrong = unknown_layer(*stored, line.layer); !wrong.empty()) return refuse(Error{Errc::usage, wrong});
  auto text = logs_of(*stored, line);
  if (!text) return refuse(text.error());
  if (text->empty())
    return refuse(Error{Errc::usage, "nothing was recorded for " + line.layer + (line.check.empty() ? "" : " " + line.check)});
  return print(isatty(STDOUT_FILENO) != 0 ? printable(*text) : *text) ? 0 : 3;
}

}  // namespace vt
