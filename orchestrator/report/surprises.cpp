#include "orchestrator/report/surprises.hpp"

#include <algorithm>

#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

/// Fails, warnings and errors of the check itself are told one by one; whatever else happened to checks has one reason
/// for many of them.
bool told_alone(const Judgement& j) {
  bool own = j.verdict == Verdict::error && (j.cause == Cause::check || j.cause == Cause::self_test);
  return j.verdict == Verdict::fail || j.verdict == Verdict::warn || own;
}

std::string heading_of(const Judgement& j) {
  auto word = std::string(name(j.verdict));
  for (char& c : word) c = static_cast<char>(c - 'a' + 'A');
  return word;
}

std::string reason_of(const Judgement& j) {
  if (!j.reason.empty()) return j.reason;
  if (!j.capability.empty()) return j.capability + (j.evidence.empty() ? "" : ": " + j.evidence);
  return j.cause == Cause::none ? "" : std::string(name(j.cause));
}

/// A surprise on one column, not yet merged with the same one on others.
struct Part {
  Surprise what;
  bool alone = false;
};

class Collector {
 public:
  Collector(const RunView& view, const Catalogue& catalogue) : view_(view), catalogue_(catalogue) {}

  std::vector<Surprise> all() {
    for (std::size_t i = 0; i < view_.columns.size(); ++i)
      for (auto& row : view_.rows) look(row, i);
    std::vector<Surprise> out;
    for (auto& part : parts_) merge(out, part);
    std::stable_sort(out.begin(), out.end(), [this](auto& a, auto& b) { return rank(a) < rank(b); });
    return out;
  }

 private:
  void look(const ViewRow& row, std::size_t column) {
    auto& cell = row.cells[column];
    if (!cell.planned) return;
    auto judgement = cell.deciding();
    if (!judgement) return missing(row, column);
    if (judgement->verdict != Verdict::warn && !counts_against(judgement->verdict)) return;
    if (told_alone(*judgement)) parts_.push_back({single(row, column, *judgement, subjects(cell, judgement->verdict)), true});
    else group(heading_of(*judgement), judgement->verdict, reason_of(*judgement), row, column);
  }

  void missing(const ViewRow& row, std::size_t column) {
    if (view_.state == RunView::State::running) return;
    group("NO VERDICT", Verdict::error, "planned, but nothing was recorded", row, column);
  }

  /// Collects the checks of one column that share a reason.
  void group(const std::string& heading, Verdict verdict, const std::string& reason, const ViewRow& row, std::size_t column) {
    auto& label = view_.columns[column].label;
    for (auto& part : parts_)
      if (!part.alone && part.what.heading == heading && part.what.reason == reason && part.what.where.front() == label)
        return part.what.checks.push_back(row.check);
    Surprise fresh;
    fresh.heading = heading, fresh.verdict = verdict, fresh.reason = reason;
    fresh.checks = {row.check}, fresh.where = {label};
    parts_.push_back({std::move(fresh), false});
  }

  /// The GPUs, pairs, … of a check that it went wrong on: " (GPU-1, GPU-3)".
  static std::string subjects(const ViewCell& cell, Verdict verdict) {
    std::vector<std::string> names;
    for (auto& j : cell.judgements)
      if (j.verdict == verdict && !j.key.subject.empty()) names.push_back(j.key.subject);
    return names.empty() ? "" : " (" + join(names, ", ") + ")";
  }

  Surprise single(const ViewRow& row, std::size_t column, const Judgement& j, const std::string& subjects) {
    Surprise out;
    out.heading = heading_of(j), out.verdict = j.verdict;
    out.checks = {row.check}, out.where = {view_.columns[column].label + subjects};
    out.title = row.title, out.measured = measured_lines(j, false);
    if (out.measured.empty()) out.reason = reason_of(j);
    if (auto check = catalogue_.check(row.check)) out.why = check->why, out.remedy = check->remedy;
    add_logs(out, j.key);
    return out;
  }

  void add_logs(Surprise& out, const ObservationKey& key) {
    for (auto& a : view_.artefacts)
      if (a.layer == key.layer && a.host == key.host && a.check == key.check) out.logs.push_back(a.name);
    if (!out.logs.empty() || out.verdict != Verdict::warn)
      out.log_command = "vault-test logs " + view_.run.id + " " + key.layer + " " + key.check;
  }

  static void merge(std::vector<Surprise>& out, const Part& part) {
    auto& what = part.what;
    for (auto& s : out)
      if (s.heading == what.heading && s.checks == what.checks && s.measured == what.measured && s.reason == what.reason)
        return s.where.insert(s.where.end(), what.where.begin(), what.where.end()), void();
    out.push_back(what);
  }

  static int rank(const Surprise& s) {
    if (s.heading == "NO VERDICT") return 2;
    switch (s.verdict) {
      case Verdict::fail: return 0;
      case Verdict::error: return 1;
      case Verdict::blocked: return 3;
      case Verdict::cancelled: return 4;
      default: return 5;
    }
  }

  const RunView& view_;
  const Catalogue& catalogue_;
  std::vector<Part> parts_;
};

/// Of a reason what its line does not say yet: of "#1: measured 3, required 0, and 2 more", where the list stands before it, "#1, and 2
/// more" (how many of them the list shows, too, but not which was the first to miss).
std::string new_in(const std::string& why) {
  if (why.starts_with("measured ") || why.starts_with("nothing found")) return {};
  auto at = why.find(": measured "), more = why.rfind(", and ");
  if (!why.starts_with('#') || at == std::string::npos) return why;
  return why.substr(0, at) + (why.ends_with(" more") && more != std::string::npos ? why.substr(more) : "");
}

}  // namespace

std::vector<std::string> measured_lines(const Judgement& j, bool all) {
  std::vector<std::string> out;
  for (auto& v : j.values) {
    bool fine = v.verdict == "held" || v.verdict == "recorded" || v.verdict == "not applicable";
    if (fine && !all) continue;
    std::string line = v.value == "value" ? "" : v.value + ": ";
    line += v.verdict == "unreadable" ? "unreadable" : "measured " + (v.measured.empty() ? "nothing" : v.measured);
    constexpr std::string_view kEquals = "equals ";
    if (!v.rule.empty()) line += ", required " + (v.rule.starts_with(kEquals) ? v.rule.substr(kEquals.size()) : v.rule);
    if (auto told = new_in(v.why); !told.empty()) line += " (" + told + ")";
    out.push_back(line);
  }
  return out;
}

std::vector<Surprise> surprises(const RunView& view, const Catalogue& catalogue) { return Collector(view, catalogue).all(); }

}  // namespace vt
