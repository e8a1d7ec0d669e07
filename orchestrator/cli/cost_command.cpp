#include <unistd.h>

#include <map>
#include <nlohmann/json.hpp>

#include "orchestrator/cli/commands.hpp"
#include "orchestrator/cli/cost_text.hpp"
#include "orchestrator/cli/workplace.hpp"
#include "orchestrator/plan/scalars.hpp"

namespace vt {

namespace {

/// The names of a resource's hosts in the results, from how to reach them.
std::vector<std::string> hosts_of(const Resource& r) {
  std::vector<std::string> out;
  auto access = nlohmann::json::parse(r.access, nullptr, false);
  if (!access.is_array()) return out;
  for (auto& host : access)
    if (host.is_object() && host.contains("name") && host["name"].is_string()) out.push_back(host["name"]);
  return out;
}

/// What was created since then, and what is still open.
Result<std::vector<CostRow>> rows_since(const Ledger& ledger, EpochMs since) {
  VT_TRY(auto all, ledger.all());
  std::vector<CostRow> out;
  for (auto& r : all)
    if (r.created >= since || is_open(r.state)) out.push_back({r, "", hosts_of(r)});
  return out;
}

Status add_times(const Store& store, const std::string& run, std::vector<CheckTime>& out) {
  VT_TRY(auto rows, store.took(run));
  for (auto& r : rows) out.push_back({r.run, r.layer, r.host, r.check, r.started, r.took});
  return {};
}

/// The plan of each row, and how long the checks of its run took. A state folder without results tells neither.
Status ask_results(const CommandLine& line, const Clock& clock, bool times_too, std::vector<CostRow>& rows, std::vector<CheckTime>& times) {
  auto store = Store::open_existing(line.state_dir, clock);
  if (!store) return store.error().code == Errc::not_found ? Status{} : Status(fail(store.error()));
  std::map<std::string, std::string> plans;
  for (auto& row : rows) {
    auto& id = row.resource.run;
    if (auto [at, is_new] = plans.emplace(id, ""); is_new) {
      auto run = (*store)->run(id);
      if (!run || !*run) continue;
      at->second = (*run)->plan;
      if (times_too) VT_CHECK(add_times(**store, id, times));
    }
    row.plan = plans[id];
  }
  return {};
}

bool worth_asking(const Resource& r) { return !is_open(r.state) && r.hourly.micro > 0 && !r.provider_id.empty(); }

Billed ask_provider(const Clouds& clouds, const Resource& r) {
  Billed out{r.owner.name, r.provider, r.cost, {}, ""};
  auto provider = clouds.provider(r.provider);
  if (!provider) return out.problem = "provider unknown to this version", out;
  auto billed = provider->billed(r);
  if (billed) out.billed = *billed;
  else out.problem = billed.error().what;
  return out;
}

CostBy cost_by(const std::string& word) {
  for (auto by : {CostBy::layer, CostBy::provider, CostBy::check})
    if (name(by) == word) return by;
  return CostBy::plan;
}

TextStyle style_for(const CommandLine& line) { return {terminal_width(STDOUT_FILENO), use_colour(line, STDOUT_FILENO)}; }

int reconcile(const CommandLine& line, const CostPage& page, const std::vector<CostRow>& rows, const Clock& clock) {
  auto clouds = open_clouds(line, clock);
  if (!clouds) return refuse(clouds.error());
  std::vector<Billed> asked;
  for (auto& row : rows)
    if (worth_asking(row.resource)) asked.push_back(ask_provider(*clouds, row.resource));
  if (!print(line.json ? reconciled_json(page, asked) : reconciled_text(page, asked, style_for(line)))) return 3;
  int code = 0;
  for (auto& b : asked) {
    if (!b.problem.empty()) return 3;
    if (b.billed && !b.agrees()) code = 1;
  }
  return code;
}

}  // namespace

int cost_command(const CommandLine& line) {
  auto period = parse_duration(line.since);
  if (!period) return refuse(Error{Errc::usage, "--since " + line.since + ": expected a duration such as 12h, 7d or 30d"});
  if (line.reconcile && !line.rehearse.empty())
    return refuse(Error{Errc::usage, "--reconcile with --rehearse: an emulator keeps no bills; reconcile real runs"});
  SystemClock clock;
  auto now = clock.wall();
  CostPage page{line.since, cost_by(line.by), !line.rehearse.empty()};
  std::vector<CostRow> rows;
  std::vector<CheckTime> times;
  auto ledger = existing_ledger(line, clock);
  if (!ledger && ledger.error().code != Errc::not_found) return refuse(ledger.error());
  if (ledger) {
    auto found = rows_since(**ledger, now - period->count());
    if (!found) return refuse(found.error());
    rows = std::move(found).take();
  }
  if (line.reconcile) return reconcile(line, page, rows, clock);
  if (auto read = ask_results(line, clock, page.by == CostBy::check, rows, times); !read) return refuse(read.error());
  auto report = cost_report(rows, times, page.by, now);
  return print(line.json ? cost_json(page, report) : cost_text(page, report, style_for(line))) ? 0 : 3;
}

}  // namespace vt
