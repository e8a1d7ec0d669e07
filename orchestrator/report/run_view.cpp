#include "orchestrator/report/run_view.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "orchestrator/model/resource.hpp"
#include "orchestrator/store/ledger.hpp"

namespace vt {

namespace {

/// What the store says about one run, before it is put in order.
struct Rows {
  std::vector<LayerRow> layers;
  std::vector<PlannedRow> planned;
  std::vector<Judgement> judgements;
  std::vector<CapabilityRow> capabilities;
  std::vector<ArtefactRow> artefacts;
  std::vector<SeriesRow> series;
  std::vector<Event> events;
};

Result<Rows> read(const Store& store, const std::string& run) {
  Rows rows;
  VT_TRY(rows.layers, store.layers(run));
  VT_TRY(rows.planned, store.planned(run));
  VT_TRY(rows.judgements, store.judgements(run));
  VT_TRY(rows.capabilities, store.capabilities(run));
  VT_TRY(rows.artefacts, store.artefacts(run));
  VT_TRY(rows.series, store.series(run));
  VT_TRY(rows.events, store.events(run, 0));
  return rows;
}

bool differs(const Subject& seen, const Subject& asked) {
  return !seen.path.empty() && (seen.digest != asked.digest || seen.commit != asked.commit || seen.dirty != asked.dirty);
}

/// Hosts by layer, in the order they were first heard of.
std::map<std::string, std::vector<std::string>> hosts_by_layer(const Rows& rows) {
  std::map<std::string, std::vector<std::string>> hosts;
  auto heard = [&](const std::string& layer, const std::string& host) {
    auto& list = hosts[layer];
    if (!host.empty() && std::find(list.begin(), list.end(), host) == list.end()) list.push_back(host);
  };
  for (auto& e : rows.events)
    if (auto ready = std::get_if<event::HostReady>(&e.body)) heard(e.layer, ready->host);
  for (auto& c : rows.capabilities) heard(c.layer, c.host);
  for (auto& j : rows.judgements) heard(j.key.layer, j.key.host);
  return hosts;
}

void add_layers(RunView& view, const Rows& rows) {
  auto hosts = hosts_by_layer(rows);
  EpochMs last = rows.events.empty() ? 0 : rows.events.back().at;
  for (auto& row : rows.layers) {
    LayerView layer;
    layer.row = row, layer.hosts = hosts[row.name];
    if (layer.hosts.empty()) layer.hosts.emplace_back();
    if (row.started) layer.took = Duration{std::max<EpochMs>(0, (row.ended ? row.ended : std::max(last, row.started)) - row.started)};
    layer.subject_differs = differs(row.subject, view.run.subject);
    for (auto& host : layer.hosts)
      view.columns.push_back({view.layers.size(), host, layer.hosts.size() > 1 ? row.name + "/" + host : row.name});
    view.layers.push_back(std::move(layer));
  }
}

/// Finds or makes the row of a check.
class RowIndex {
 public:
  explicit RowIndex(RunView& view) : view_(view) {}
  ViewRow& row(const std::string& check) {
    auto [at, fresh] = index_.try_emplace(check, view_.rows.size());
    if (fresh) {
      view_.rows.emplace_back();
      view_.rows.back().check = check;
      view_.rows.back().cells.resize(view_.columns.size());
    }
    return view_.rows[at->second];
  }

 private:
  RunView& view_;
  std::map<std::string, std::size_t> index_;
};

void add_planned(RunView& view, RowIndex& index, const Rows& rows) {
  for (auto& planned : rows.planned) {
    auto& row = index.row(planned.check);
    row.title = planned.title;
    row.severity = from_name<Severity>(planned.severity).value_or(Severity::gate);
    for (std::size_t i = 0; i < view.columns.size(); ++i)
      if (view.layers[view.columns[i].layer].row.name == planned.layer) row.cells[i].planned = true;
  }
}

/// A judgement without a host is about the layer as a whole (it never got a host, say): it stands for each of its
/// hosts that has none of its own.
void add_judgements(RunView& view, RowIndex& index, const Rows& rows) {
  for (bool whole_layer : {false, true}) {
    for (auto& judgement : rows.judgements) {
      if (judgement.key.host.empty() != whole_layer) continue;
      auto& row = index.row(judgement.key.check);
      for (std::size_t i = 0; i < view.columns.size(); ++i) {
        auto& column = view.columns[i];
        auto& cell = row.cells[i];
        if (view.layers[column.layer].row.name != judgement.key.layer) continue;
        bool own = std::any_of(cell.judgements.begin(), cell.judgements.end(), [](auto& j) { return !j.key.host.empty(); });
        if (whole_layer ? own : column.host != judgement.key.host) continue;
        cell.planned = true;
        cell.judgements.push_back(judgement);
      }
    }
  }
}

bool is_evidence(const Judgement& j) { return proves(j.verdict) && j.origin == EvidenceOrigin::real; }

void add_coverage(RunView& view) {
  for (auto& row : view.rows) {
    std::vector<std::string> provers;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      auto& layer = view.layers[view.columns[i].layer].row.name;
      auto& judged = row.cells[i].judgements;
      bool here = !judged.empty() && std::all_of(judged.begin(), judged.end(), is_evidence);
      if (here && (provers.empty() || provers.back() != layer)) provers.push_back(layer);
    }
    row.proven = !provers.empty();
    if (!row.proven && row.severity != Severity::info) view.unproven.push_back(row.check);
    for (auto& cell : row.cells)
      if (auto judgement = cell.deciding(); judgement && judgement->verdict == Verdict::skip) cell.covered_by = provers;
  }
}

void count(RunView& view) {
  for (auto& row : view.rows)
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (!row.cells[i].planned) continue;
      auto& counts = view.layers[view.columns[i].layer].counts;
      if (auto judgement = row.cells[i].deciding()) ++counts[judgement->verdict];
      else ++counts.none;
    }
}

bool closed(const std::string& resource_state) {
  return resource_state == name(ResourceState::gone) || resource_state == name(ResourceState::refused) ||
         resource_state == name(ResourceState::presumed_absent);
}

/// What only the events know: capability differences, money, what is left behind.
void add_events(RunView& view, const Rows& rows) {
  std::map<std::string, Money> spent;
  std::map<std::string, event::ResourceMoved> resources;
  for (auto& e : rows.events) {
    if (auto difference = std::get_if<event::CapabilityDiffers>(&e.body)) view.differences.push_back({e.layer, *difference});
    if (auto money = std::get_if<event::Spent>(&e.body)) spent[e.layer] = money->total;
    if (auto moved = std::get_if<event::ResourceMoved>(&e.body)) resources[moved->name] = *moved;
  }
  for (auto& [resource, moved] : resources) {
    if (moved.state == "kept") view.kept.push_back(moved);
    else if (!closed(moved.state)) view.open_resources.push_back(resource);
  }
  view.created = static_cast<int>(resources.size());
  for (auto& layer : view.layers) layer.spent = spent[layer.row.name], view.spent += layer.spent;
  if (auto total = spent.find(""); total != spent.end()) view.spent = std::max(view.spent, total->second);
}

RunView::State state_of(const RunView& view) {
  if (view.run.ended) return RunView::State::ended;
  if (!is_alive(view.run.holder)) return RunView::State::interrupted;
  bool over = std::all_of(view.layers.begin(), view.layers.end(), [](auto& l) { return is_final(l.row.state); });
  return over ? RunView::State::ended : RunView::State::running;  // all layers over: about to be closed by its holder
}

/// Worst first.
constexpr std::array kByWeight{Verdict::fail, Verdict::error, Verdict::blocked, Verdict::cancelled,
                               Verdict::warn, Verdict::skip,  Verdict::info,    Verdict::pass};

}  // namespace

int VerdictCounts::judged() const { return std::accumulate(by_verdict.begin(), by_verdict.end(), 0); }

VerdictCounts operator+(const VerdictCounts& a, const VerdictCounts& b) {
  VerdictCounts sum = a;
  for (std::size_t i = 0; i < sum.by_verdict.size(); ++i) sum.by_verdict.at(i) += b.by_verdict.at(i);
  sum.none += b.none;
  return sum;
}

bool ViewCell::on_cpu() const {
  return std::any_of(judgements.begin(), judgements.end(), [](auto& j) { return j.reason.starts_with("cpu: "); });
}

const Judgement* ViewCell::deciding() const {
  auto weight = [](const Judgement& j) { return std::find(kByWeight.begin(), kByWeight.end(), j.verdict); };
  auto at = std::min_element(judgements.begin(), judgements.end(), [&](auto& a, auto& b) { return weight(a) < weight(b); });
  return at == judgements.end() ? nullptr : &*at;
}

VerdictCounts RunView::counts() const {
  VerdictCounts sum;
  for (auto& layer : layers) sum = sum + layer.counts;
  return sum;
}

bool is_final(LayerState s) {
  return s == LayerState::done || s == LayerState::blocked || s == LayerState::failed || s == LayerState::cancelled;
}

std::string text(const Subject& subject) {
  if (subject.path.empty()) return "";
  auto base = subject.path.substr(subject.path.find_last_of('/') + 1);
  auto commit = subject.commit.empty() ? "commit unknown" : "@" + subject.commit.substr(0, 7);
  return base + " " + commit + (subject.dirty ? " with uncommitted changes" : " clean");
}

std::string_view name(RunView::State s) {
  constexpr std::array<std::string_view, 3> names{"running", "interrupted", "ended"};
  return names.at(static_cast<std::size_t>(s));
}

Result<RunView> view_run(const Store& store, const std::string& run) {
  VT_TRY(auto row, store.run(run));
  if (!row) return fail(Errc::not_found, "no run '" + run + "'; `vault-test runs` lists them");
  VT_TRY(auto rows, read(store, row->id));
  RunView view;
  view.run = *row;
  add_layers(view, rows);
  RowIndex index(view);
  add_planned(view, index, rows);
  add_judgements(view, index, rows);
  add_coverage(view);
  count(view);
  add_events(view, rows);
  view.artefacts = std::move(rows.artefacts);
  view.series = std::move(rows.series);
  view.state = state_of(view);
  return view;
}

}  // namespace vt
