#include "orchestrator/report/text.hpp"

#include <algorithm>

#include "orchestrator/model/text.hpp"
#include "orchestrator/report/outcome.hpp"
#include "orchestrator/report/skips.hpp"
#include "orchestrator/report/surprises.hpp"

namespace vt {

namespace {

using Cell = Table::Cell;

/// Columns of the layer table; the first four always, the others only where a layer has some.
constexpr std::array kAlways{Verdict::pass, Verdict::warn, Verdict::fail, Verdict::skip};
constexpr std::array kIfAny{Verdict::info, Verdict::error, Verdict::blocked, Verdict::cancelled};

class TextReport {
 public:
  TextReport(const RunView& view, const Catalogue& catalogue, const TextStyle& style) : view_(view), catalogue_(catalogue), style_(style) {}

  std::string all() {
    head();
    layers();
    for (auto& surprise : surprises(view_, catalogue_)) show(surprise);
    differences();
    matrix();
    skips();
    provenance();
    end();
    return std::move(out_);
  }

 private:
  void paragraph(const std::string& text) {
    if (!text.empty()) out_ += (out_.empty() ? "" : "\n") + text;
  }
  std::string line(const std::string& lead, const std::string& body) { return wrapped(style_, lead, one_line(body)); }

  void head() {
    std::vector<std::string> parts{one_line(view_.run.plan), view_.run.id};
    if (auto subject = vt::text(view_.run.subject); !subject.empty()) parts.push_back(one_line(subject));
    if (!view_.run.level.empty()) parts.push_back("level " + view_.run.level);
    paragraph(wrapped(style_, "", join(parts, ", ")));
    if (view_.rehearsal()) out_ += wrapped(style_, "REHEARSAL ", "emulated hosts; nothing below is evidence", Tone::caution);
  }

  // --- layers

  void layers() {
    auto total = view_.counts();
    std::vector<Verdict> shown(kAlways.begin(), kAlways.end());
    std::copy_if(kIfAny.begin(), kIfAny.end(), std::back_inserter(shown), [&](auto v) { return total[v] > 0; });
    Table table;
    table.add(layer_heading(shown, total));
    for (auto& layer : view_.layers) table.add(layer_line(layer, shown, total));
    paragraph(table.text(style_));
    std::string notes;
    for (auto& layer : view_.layers) notes += layer_notes(layer);
    paragraph(notes);
  }

  std::vector<Cell> layer_heading(const std::vector<Verdict>& shown, const VerdictCounts& total) const {
    std::vector<Cell> row{{"layer", Tone::faint, false}};
    for (auto v : shown) row.push_back({std::string(name(v)), Tone::faint, true});
    if (total.none) row.push_back({view_.state == RunView::State::running ? "to go" : "no verdict", Tone::faint, true});
    row.push_back({"time", Tone::faint, true});
    if (shows_money()) row.push_back({"spent", Tone::faint, true});
    return row;
  }

  std::vector<Cell> layer_line(const LayerView& layer, const std::vector<Verdict>& shown, const VerdictCounts& total) const {
    std::vector<Cell> row{{one_line(layer.row.name, 40), Tone::strong, false}};
    for (auto v : shown) {
      int number = layer.counts[v];
      row.push_back({std::to_string(number), number ? tone_of(v) : Tone::faint, true});
    }
    if (total.none) row.push_back({std::to_string(layer.counts.none), layer.counts.none ? Tone::bad : Tone::faint, true});
    row.push_back({layer.row.started ? short_text(layer.took) : "-", Tone::plain, true});
    if (shows_money()) row.push_back({layer.spent.text(), Tone::plain, true});
    return row;
  }

  [[nodiscard]] bool shows_money() const {
    return std::any_of(view_.layers.begin(), view_.layers.end(), [](auto& layer) { return layer.spent.micro > 0; });
  }

  /// What a row of numbers cannot say: a layer that is not done, one that proved nothing, another subject.
  std::string layer_notes(const LayerView& layer) {
    auto lead = one_line(layer.row.name, 40) + ": ";
    std::string notes;
    if (layer.row.state != LayerState::done)
      notes += line(lead, std::string(name(layer.row.state)) + (layer.row.detail.empty() ? "" : ", " + layer.row.detail));
    bool proved = layer.counts[Verdict::pass] + layer.counts[Verdict::warn] + layer.counts[Verdict::fail] > 0;
    if (layer.row.state == LayerState::done && !proved) notes += line(lead, "no check proved anything here");
    if (layer.subject_differs)
      notes += line(lead, "saw another subject: " + vt::text(layer.row.subject) + "; the run started with " + vt::text(view_.run.subject));
    return notes;
  }

  // --- surprises

  void show(const Surprise& s) {
    bool one = s.checks.size() == 1;
    auto where = "on " + list_line(s.where);
    std::string text;
    if (one)
      text = wrapped(style_, s.heading + " ", one_line(s.checks.front()) + " " + where + (s.title.empty() ? "" : ": " + one_line(s.title)),
                     tone_of(s.verdict));
    else text = wrapped(style_, s.heading + " ", where + ": " + count_of(s.checks.size(), "check"), tone_of(s.verdict));
    for (auto& measured : s.measured) text += line("  ", measured);
    if (!s.reason.empty()) text += line("  ", s.reason);
    if (!one) text += wrapped(style_, "  ", list_line(s.checks));
    if (!s.why.empty()) text += line("  why:  ", s.why);
    if (!s.remedy.empty()) text += line("  do:   ", s.remedy);
    if (!s.log_command.empty()) text += line("  logs: ", s.log_command + (s.logs.empty() ? "" : " (kept: " + join(s.logs, ", ") + ")"));
    paragraph(text);
  }

  void differences() {
    std::string text;
    for (auto& d : view_.differences) {
      auto seen = one_line(d.what.capability + " on " + d.layer + ": expected " + d.what.predicted + ", found " + d.what.probed);
      text += wrapped(style_, "DIFFERS ", seen + (d.what.evidence.empty() ? "" : " (" + one_line(d.what.evidence) + ")"), Tone::caution);
    }
    for (auto& kept : view_.kept) text += kept_host(kept.name, kept.detail);
    paragraph(text);
  }

  /// The commands after the first semicolon stand alone, to be copied.
  std::string kept_host(const std::string& name, const std::string& detail) {
    auto parts = split(detail, ';');
    std::string text = line("KEPT " + one_line(name) + " ", parts.empty() ? "" : parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i) text += "  " + one_line(parts[i]) + "\n";
    return text;
  }

  // --- comparison

  void matrix() {
    auto rows = telling_rows(view_);
    if (rows.empty()) return;
    Table table;
    std::vector<Cell> head{{"check", Tone::faint, false}};
    for (auto& column : view_.columns) head.push_back({one_line(column.label, 40), Tone::faint, false});
    table.add(head);
    for (auto row : rows) {
      std::vector<Cell> line{{one_line(row->check), Tone::plain, false}};
      for (auto& cell : row->cells) {
        auto judgement = cell.deciding();
        line.push_back({cell_text(view_, cell), judgement ? tone_of(judgement->verdict) : Tone::plain, false});
      }
      table.add(line);
    }
    paragraph(table.text(style_));
  }

  void skips() {
    for (auto& group : skip_groups(view_)) {
      auto what = group.capability.empty() ? one_line(group.evidence) : one_line(group.capability) + " (" + one_line(group.evidence) + ")";
      std::string text = wrapped(style_, "skip ", what + " on " + list_line(group.where), Tone::faint);
      for (auto& list : group.lists)
        text += wrapped(style_, "  " + one_line(list.heading()) + ": ", list_line(list.checks), Tone::plain, 4);
      paragraph(text);
    }
  }

  /// Whose word this is: what the processor did in place of a GPU, and checks that nobody has run on a GPU before.
  void provenance() {
    std::vector<std::string> on_cpu;
    for (auto& row : view_.rows)
      if (std::any_of(row.cells.begin(), row.cells.end(), [](auto& cell) { return cell.on_cpu(); })) on_cpu.push_back(row.check);
    std::string text;
    if (!on_cpu.empty())
      text += wrapped(style_, "cpu ", "the processor stood in, no evidence for a GPU: " + list_line(on_cpu), Tone::caution);
    if (!view_.never_on_hardware.empty())
      text += wrapped(style_, "never run on hardware by their makers: ", list_line(view_.never_on_hardware), Tone::caution);
    paragraph(text);
  }

  void end() {
    auto outcome = outcome_of(view_);
    auto tone = outcome.exit_code == 0 ? Tone::good : outcome.exit_code == 1 || outcome.exit_code == 5 ? Tone::bad : Tone::caution;
    auto colon = outcome.sentence.find(": ");
    paragraph(wrapped(style_, outcome.sentence.substr(0, colon + 2), outcome.sentence.substr(colon + 2), tone, 2));
    if (!outcome.next.empty()) out_ += wrapped(style_, "next: ", outcome.next);
    if (!outcome.cost.empty()) out_ += wrapped(style_, "", outcome.cost);
  }

  const RunView& view_;
  const Catalogue& catalogue_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

Tone tone_of(Verdict v) {
  switch (v) {
    case Verdict::pass: return Tone::good;
    case Verdict::warn: return Tone::caution;
    case Verdict::fail:
    case Verdict::error:
    case Verdict::blocked:
    case Verdict::cancelled: return Tone::bad;
    default: return Tone::faint;
  }
}

std::string cell_text(const RunView& view, const ViewCell& cell) {
  if (!cell.planned) return "-";
  auto judgement = cell.deciding();
  if (!judgement) return view.state == RunView::State::running ? "..." : "no verdict";
  auto verdict = std::string(name(judgement->verdict));
  return judgement->verdict == Verdict::skip && !judgement->capability.empty() ? verdict + " " + one_line(judgement->capability, 30)
                                                                               : verdict;
}

std::vector<const ViewRow*> telling_rows(const RunView& view) {
  std::vector<const ViewRow*> out;
  if (view.columns.size() < 2) return out;
  auto telling = [](const ViewCell& cell) {
    auto j = cell.deciding();
    return j && (j->verdict == Verdict::fail || j->verdict == Verdict::warn || (j->verdict == Verdict::error && j->cause == Cause::check));
  };
  for (auto& row : view.rows)
    if (std::any_of(row.cells.begin(), row.cells.end(), telling)) out.push_back(&row);
  return out;
}

std::string text_report(const RunView& view, const Catalogue& catalogue, const TextStyle& style) {
  return TextReport(view, catalogue, style).all();
}

}  // namespace vt
