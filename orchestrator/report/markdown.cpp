#include "orchestrator/report/markdown.hpp"

#include <algorithm>

#include "orchestrator/model/text.hpp"
#include "orchestrator/report/layout.hpp"
#include "orchestrator/report/outcome.hpp"
#include "orchestrator/report/skips.hpp"
#include "orchestrator/report/surprises.hpp"
#include "orchestrator/report/text.hpp"

namespace vt {

namespace {

/// Text from outside as a code span.
std::string code(const std::string& text) {
  auto out = one_line(text);
  std::replace(out.begin(), out.end(), '`', '\'');
  return out.empty() ? "" : "`" + out + "`";
}

/// The same in a table, where '|' ends a cell even inside code.
std::string cell_code(const std::string& text) {
  std::string out;
  for (char c : code(text)) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string codes(const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  for (auto& text : texts) out.push_back(code(text));
  return join(out, ", ");
}

/// A sentence from the catalogue or plan as running text: nothing in it can format, link or mention.
std::string prose(const std::string& text) {
  std::string out;
  for (char c : one_line(text)) {
    if (std::string_view("\\`*_{}[]<>()#+!|~&").find(c) != std::string_view::npos) out += '\\';
    out += c;
    if (c == '@') out += "\xE2\x80\x8B";  // a zero-width space: "@name" mentions nobody
  }
  return out;
}

class Markdown {
 public:
  Markdown(const RunView& view, const Catalogue& catalogue) : view_(view), catalogue_(catalogue) {}

  std::string all() {
    auto outcome = outcome_of(view_);
    out_ = "## vault-test: " + prose(view_.run.plan) + "\n\n**" + prose(outcome.sentence) + "**\n\n";
    if (view_.rehearsal()) out_ += "REHEARSAL: emulated hosts; nothing below is evidence.\n\n";
    auto subject = vt::text(view_.run.subject);
    out_ += "Run " + code(view_.run.id) + (subject.empty() ? "" : ", subject " + code(subject)) + "\n\n";
    layers();
    for (auto& s : surprises(view_, catalogue_)) show(s);
    differences();
    matrix();
    skips();
    provenance();
    if (!outcome.next.empty()) out_ += "Next: " + code(outcome.next) + "\n";
    if (!outcome.cost.empty()) out_ += "\n" + prose(outcome.cost) + "\n";
    return std::move(out_);
  }

 private:
  void layers() {
    out_ += "| layer | state | pass | warn | fail | skip | other | time |\n|---|---|---:|---:|---:|---:|---:|---:|\n";
    for (auto& l : view_.layers) {
      auto& c = l.counts;
      int other = c[Verdict::info] + c[Verdict::error] + c[Verdict::blocked] + c[Verdict::cancelled] + c.none;
      out_ += "| " + cell_code(l.row.name) + " | " + std::string(name(l.row.state)) +
              (l.row.detail.empty() ? "" : " " + cell_code(l.row.detail));
      for (int n : {c[Verdict::pass], c[Verdict::warn], c[Verdict::fail], c[Verdict::skip], other}) out_ += " | " + std::to_string(n);
      out_ += " | " + (l.row.started ? short_text(l.took) : "-") + " |\n";
    }
    out_ += "\n";
    for (auto& l : view_.layers)
      if (l.subject_differs) out_ += "- " + code(l.row.name) + " saw another subject: " + code(vt::text(l.row.subject)) + "\n";
  }

  void show(const Surprise& s) {
    out_ += "- **" + s.heading + "** " + codes(s.checks) + " on " + codes(s.where) + (s.title.empty() ? "" : ": " + prose(s.title)) + "\n";
    for (auto& m : s.measured) out_ += "  - " + code(m) + "\n";
    if (!s.reason.empty()) out_ += "  - " + code(s.reason) + "\n";
    if (!s.why.empty()) out_ += "  - why: " + prose(s.why) + "\n";
    if (!s.remedy.empty()) out_ += "  - do: " + prose(s.remedy) + "\n";
    if (!s.log_command.empty()) out_ += "  - logs: " + code(s.log_command) + "\n";
  }

  void differences() {
    for (auto& d : view_.differences)
      out_ += "- **DIFFERS** " + code(d.what.capability) + " on " + code(d.layer) + ": expected " + code(d.what.predicted) + ", found " +
              code(d.what.probed) + " " + code(d.what.evidence) + "\n";
    out_ += "\n";
  }

  void matrix() {
    auto rows = telling_rows(view_);
    if (rows.empty()) return;
    out_ += "| check |";
    for (auto& column : view_.columns) out_ += " " + cell_code(column.label) + " |";
    out_ += "\n|---|";
    for (std::size_t i = 0; i < view_.columns.size(); ++i) out_ += "---|";
    for (auto row : rows) {
      out_ += "\n| " + cell_code(row->check) + " |";
      for (auto& cell : row->cells) out_ += " " + prose(cell_text(view_, cell)) + " |";
    }
    out_ += "\n\n";
  }

  void skips() {
    auto groups = skip_groups(view_);
    if (groups.empty()) return;
    out_ += "<details><summary>Skipped: " + count_of(view_.counts()[Verdict::skip], "check") + ", " +
            std::to_string(view_.unproven.size()) + " unproven in this run</summary>\n\n";
    for (auto& g : groups) {
      out_ += "- " + code(g.capability.empty() ? g.evidence : g.capability + ": " + g.evidence) + " on " + codes(g.where) + "\n";
      for (auto& list : g.lists) out_ += "  - " + prose(list.heading()) + ": " + codes(list.checks) + "\n";
    }
    out_ += "\n</details>\n\n";
  }

  void provenance() {
    std::vector<std::string> on_cpu;
    for (auto& row : view_.rows)
      if (std::any_of(row.cells.begin(), row.cells.end(), [](auto& cell) { return cell.on_cpu(); })) on_cpu.push_back(row.check);
    if (!on_cpu.empty()) out_ += "The processor stood in, no evidence for a GPU: " + codes(on_cpu) + "\n\n";
    if (!view_.never_on_hardware.empty()) out_ += "Never run on hardware by their makers: " + codes(view_.never_on_hardware) + "\n\n";
  }

  const RunView& view_;
  const Catalogue& catalogue_;
  std::string out_;
};

}  // namespace

std::string markdown_report(const RunView& view, const Catalogue& catalogue) { return Markdown(view, catalogue).all(); }

}  // namespace vt
