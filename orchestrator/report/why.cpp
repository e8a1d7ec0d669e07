#include "orchestrator/report/why.hpp"

#include <algorithm>

#include "orchestrator/model/figure_text.hpp"
#include "orchestrator/model/text.hpp"
#include "orchestrator/report/surprises.hpp"
#include "orchestrator/report/text.hpp"

namespace vt {

namespace {

constexpr int kHistory = 10;
constexpr std::size_t kOutputLines = 6;

std::string what_runs(const How& how) {
  if (auto probe = std::get_if<ProbeRun>(&how)) return "probe of " + probe->fact;
  if (auto agent = std::get_if<AgentRun>(&how)) return "agent check " + agent->name;
  if (auto command = std::get_if<CommandRun>(&how)) return join(command->argv, " ");
  auto& script = std::get<ScriptRun>(how);
  return script.interpreter + " script: " + script.text;
}

class Why {
 public:
  Why(const Store& store, const RunView& view, const ViewRow& row, const Check* check, const TextStyle& style)
      : store_(store), view_(view), row_(row), check_(check), style_(style) {}

  Result<std::string> all() {
    about();
    for (std::size_t i = 0; i < row_.cells.size(); ++i)
      if (row_.cells[i].planned) VT_CHECK(host(i));
    VT_CHECK(history());
    if (check_ && !check_->remedy.empty()) out_ += "\n" + line("do: ", check_->remedy);
    return std::move(out_);
  }

 private:
  std::string line(const std::string& lead, const std::string& body, std::size_t limit = 400) {
    return wrapped(style_, lead, one_line(body, limit));
  }

  void about() {
    out_ += paint(style_, Tone::strong, one_line(row_.check)) + (row_.title.empty() ? "" : "  " + one_line(row_.title)) + "\n";
    if (!check_) return void(out_ += "The catalogue stored with this run does not have it.\n");
    if (!check_->why.empty()) out_ += line("  why:    ", check_->why);
    if (!check_->requirement.empty()) out_ += line("  shows:  ", check_->requirement + ", " + std::string(name(check_->severity)));
    if (!check_->needs.text().empty()) out_ += line("  needs:  ", check_->needs.text());
    if (!check_->after.empty()) out_ += line("  after:  ", join(check_->after, ", "));
    out_ += line("  runs:   ", what_runs(check_->how), 200);
    auto& never = view_.never_on_hardware;
    auto last = view_.last_on_hardware.find(row_.check);
    if (std::find(never.begin(), never.end(), row_.check) != never.end()) out_ += line("  tried:  ", "never on hardware by its makers");
    if (last != view_.last_on_hardware.end()) out_ += line("  tried:  ", "on hardware by its makers: " + last->second);
  }

  Status host(std::size_t column) {
    auto& cell = row_.cells[column];
    auto label = one_line(view_.columns[column].label);
    if (cell.judgements.empty()) {
      out_ += "\n" + label + ": " + cell_text(view_, cell) + "\n";
      return {};
    }
    VT_TRY(auto observations, store_.observations(view_.run.id, view_.layers[view_.columns[column].layer].row.name, row_.check));
    for (auto& judgement : cell.judgements) {
      verdict(label, cell, judgement);
      evidence(judgement, observations);
    }
    return {};
  }

  void verdict(const std::string& label, const ViewCell& cell, const Judgement& j) {
    out_ += "\n" + label + (j.key.subject.empty() ? "" : " " + one_line(j.key.subject)) + ": " +
            paint(style_, tone_of(j.verdict), std::string(name(j.verdict)));
    if (j.cause != Cause::none) out_ += " (" + std::string(name(j.cause)) + ")";
    if (j.origin != EvidenceOrigin::real) out_ += ", " + std::string(name(j.origin)) + ": not evidence";
    out_ += "\n";
    auto measured = measured_lines(j, true);
    for (auto& text : measured) out_ += line("  ", text);
    if (!j.reason.empty() && measured.empty()) out_ += line("  ", j.reason);
    bool told = j.reason.find(j.evidence) != std::string::npos;
    if (!j.capability.empty() && !told) out_ += line("  needs " + one_line(j.capability) + ": ", j.evidence);
    auto uncovered = row_.severity == Severity::info ? "not measured" : "UNPROVEN";
    if (j.verdict == Verdict::skip)
      out_ += "  " + (cell.covered_by.empty() ? uncovered : "covered by " + list_line(cell.covered_by)) + "\n";
  }

  void evidence(const Judgement& j, const std::vector<Observation>& observations) {
    auto same = [&](auto& o) { return o.key.host == j.key.host && o.key.subject == j.key.subject && o.key.attempt == j.key.attempt; };
    auto at = std::find_if(observations.begin(), observations.end(), same);
    if (at == observations.end()) return;
    auto& o = *at;
    std::string ran =
        utc_text(o.started) + ", took " + (o.took < std::chrono::seconds(1) ? std::to_string(o.took.count()) + "ms" : short_text(o.took));
    if (o.exit_code) ran += ", exit status " + std::to_string(*o.exit_code);
    if (o.signal) ran += ", signal " + std::to_string(o.signal);
    if (!o.device.empty()) ran += ", on " + o.device;
    if (o.key.attempt > 1) ran += ", attempt " + std::to_string(o.key.attempt);
    out_ += line("  ran:    ", ran);
    if (!o.problem.empty()) out_ += line("  broke:  ", o.problem);
    series(j);
    quote("  output: ", o.out);
    quote("  stderr: ", o.err);
    std::vector<std::string> kept;
    for (auto& a : view_.artefacts)
      if (a.layer == j.key.layer && a.host == j.key.host && a.check == j.key.check) kept.push_back(a.name);
    if (!kept.empty())
      out_ += line("  kept:   ", join(kept, ", ") + "; vault-test logs " + view_.run.id + " " + j.key.layer + " " + j.key.check);
  }

  /// What was sampled while it ran: "power_w 571 W (402 to 575) on GPU-…, 300 values".
  void series(const Judgement& j) {
    for (auto& s : view_.series) {
      if (s.layer != j.key.layer || s.host != j.key.host || s.check != j.key.check || s.attempt != j.key.attempt) continue;
      out_ += line("  series: ", s.name + " " + figure_text(s.mean) + (s.unit.empty() ? "" : " " + s.unit) + " (" + figure_text(s.min) +
                                     " to " + figure_text(s.max) + ")" + (s.device.empty() ? "" : " on " + s.device) + ", " +
                                     std::to_string(s.count) + " value" + (s.count == 1 ? "" : "s"));
    }
  }

  void quote(const std::string& lead, const Output& output) {
    auto lines = split(output.head, '\n');
    for (std::size_t i = 0; i < lines.size() && i < kOutputLines; ++i)
      out_ += (i ? std::string(lead.size(), ' ') : lead) +
              one_line(lines[i], style_.width > lead.size() + 20 ? style_.width - lead.size() : 20) + "\n";
    if (lines.size() > kOutputLines || output.cut())
      out_ += std::string(lead.size(), ' ') + "... " + std::to_string(output.lines) + " lines, " + std::to_string(output.bytes) +
              " bytes in all\n";
  }

  Status history() {
    VT_TRY(auto rows, store_.history(row_.check, kHistory));
    Table table;
    bool any = false;
    for (auto& h : rows) {
      if (h.run == view_.run.id) continue;
      any = true;
      auto said = h.measured.empty() ? h.reason : h.measured;
      table.add({{"  " + utc_text(h.at), Tone::faint, false},
                 {one_line(h.layer, 30), Tone::plain, false},
                 {std::string(name(h.verdict)), tone_of(h.verdict), false},
                 {h.subject_commit.empty() ? "" : "@" + one_line(h.subject_commit.substr(0, 7)), Tone::faint, false},
                 {one_line(said, 60), Tone::plain, false}});
    }
    out_ += any ? "\nearlier:\n" + table.text(style_) : "\nearlier: no other run has it\n";
    return {};
  }

  const Store& store_;
  const RunView& view_;
  const ViewRow& row_;
  const Check* check_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

Result<std::string> why_text(const Store& store, const RunView& view, const std::string& id, const Check* check, const TextStyle& style) {
  auto at = std::find_if(view.rows.begin(), view.rows.end(), [&](auto& row) { return row.check == id; });
  if (at != view.rows.end()) return Why(store, view, *at, check, style).all();
  std::vector<std::string> known;
  for (auto& row : view.rows) known.push_back(row.check);
  auto close = nearest(id, known);
  return fail(Errc::not_found,
              "run " + view.run.id + " has no check '" + id + "'" + (close.empty() ? "" : "; did you mean '" + close + "'?"));
}

}  // namespace vt
