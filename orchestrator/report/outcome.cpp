#include "orchestrator/report/outcome.hpp"

#include <algorithm>
#include <array>

#include "orchestrator/model/text.hpp"
#include "orchestrator/report/layout.hpp"

namespace vt {

namespace {

using State = RunView::State;

constexpr std::array kPrecedence{5, 130, 4, 3, 1, 0};

int worse(int a, int b) {
  auto rank = [](int code) { return std::find(kPrecedence.begin(), kPrecedence.end(), code); };
  return rank(a) < rank(b) ? a : b;
}

int code_of_missing(const RunView& view) {
  if (view.state == State::running) return 0;
  return view.state == State::interrupted ? 130 : 3;
}

/// A layer that failed lost its host or never got one; checks that failed leave it done.
int code_of_state(const RunView& view, LayerState state) {
  switch (state) {
    case LayerState::done: return 0;
    case LayerState::blocked: return 1;
    case LayerState::failed: return 3;
    case LayerState::cancelled: return 130;
    default: return code_of_missing(view);
  }
}

int code_of_layer(const RunView& view, std::size_t layer) {
  int code = code_of_state(view, view.layers[layer].row.state);
  for (auto& row : view.rows)
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      auto& cell = row.cells[i];
      if (view.columns[i].layer != layer || !cell.planned) continue;
      for (auto& judgement : cell.judgements) code = worse(code, exit_code_of(judgement));
      if (cell.judgements.empty()) code = worse(code, code_of_missing(view));
    }
  return code;
}

/// In a real run what the processor showed in place of a GPU is no proof.
bool proved_something(const RunView& view) {
  for (auto& row : view.rows)
    for (auto& cell : row.cells)
      for (auto& j : cell.judgements)
        if (proves(j.verdict) && (view.rehearsal() || j.origin == EvidenceOrigin::real)) return true;
  return false;
}

int code_of(const RunView& view) {
  if (!view.open_resources.empty() && view.state != State::running) return 5;
  int code = view.state == State::interrupted ? 130 : 0;
  for (std::size_t i = 0; i < view.layers.size(); ++i) code = worse(code, code_of_layer(view, i));
  if (code == 0 && (view.state == State::running || !proved_something(view))) return 3;
  return code;
}

/// A checker overlooked a fault that was put in: whatever else it said counts for nothing.
bool is_invalid(const RunView& view) {
  for (auto& row : view.rows)
    for (auto& cell : row.cells)
      for (auto& j : cell.judgements)
        if (j.verdict == Verdict::error && j.cause == Cause::self_test) return true;
  return false;
}

std::string headline(const RunView& view, int code) {
  if (view.state == State::running) return "RUNNING";
  switch (code) {
    case 5: return "SOMETHING MAY BE LEFT BEHIND (" + one_line(join(view.open_resources, ", ")) + ")";
    case 130: return "INTERRUPTED";
    case 4: return "STOPPED BY THE BUDGET";
    case 3:
      return is_invalid(view)         ? "INVALID (a checker overlooked a fault in its self-test)"
             : proved_something(view) ? "INCOMPLETE"
                                      : "NOTHING PROVEN";
    case 1: return "FAILED";
    default: return view.rehearsal() ? "REHEARSED (no evidence)" : "COMPLETE (not a sign-off)";
  }
}

std::string sentence(const RunView& view, int code) {
  auto counts = view.counts();
  std::vector<std::string> parts{count_of(counts[Verdict::fail], "failure")};
  auto some = [&](int number, const std::string& what) {
    if (number) parts.push_back(what);
  };
  some(counts[Verdict::error], count_of(counts[Verdict::error], "error"));
  some(counts[Verdict::warn], count_of(counts[Verdict::warn], "warning"));
  int unfinished = counts[Verdict::blocked] + counts[Verdict::cancelled] + counts.none;
  some(unfinished, std::to_string(unfinished) + (view.state == State::running ? " to go" : " not run"));
  parts.push_back(std::to_string(view.unproven.size()) + " unproven");
  parts.push_back(view.spent.text() + " spent");
  return (view.rehearsal() && code != 0 ? "REHEARSAL " : "") + headline(view, code) + ": " + join(parts, ", ");
}

/// The check most worth asking about: the first that failed, else broke, else warned.
std::string telling_check(const RunView& view) {
  for (auto wanted : {Verdict::fail, Verdict::error, Verdict::blocked, Verdict::warn})
    for (auto& row : view.rows)
      for (auto& cell : row.cells)
        if (auto judgement = cell.deciding(); judgement && judgement->verdict == wanted) return row.check;
  return "";
}

/// Capabilities that no host of this run had and that would prove something more.
std::string lacking(const RunView& view) {
  std::vector<std::string> names;
  for (auto& row : view.rows)
    for (auto& cell : row.cells) {
      auto judgement = cell.deciding();
      if (row.proven || row.severity == Severity::info || !judgement || judgement->verdict != Verdict::skip ||
          judgement->capability.empty())
        continue;
      auto& capability = judgement->capability;
      auto name = capability.starts_with("!") ? "no " + capability.substr(1) : capability;
      if (names.size() < 3 && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  return one_line(join(names, ", "));
}

/// Every layer came to its end and every check to a verdict: there is nothing to resume.
bool ran_whole(const RunView& view) {
  return view.counts().none == 0 &&
         std::all_of(view.layers.begin(), view.layers.end(), [](auto& l) { return l.row.state == LayerState::done; });
}

std::string next_step(const RunView& view, int code) {
  if (view.state == State::running) return "vault-test status " + view.run.id;
  if (code == 5) return view.rehearsal() ? "vault-test reap --rehearse" : "vault-test reap";
  if (code == 130 || code == 4) return "vault-test resume " + view.run.id + (code == 4 ? ", with a higher budget" : "");
  if (auto check = telling_check(view); !check.empty()) return "vault-test why " + check;
  if (code == 3 && !ran_whole(view)) return "vault-test resume " + view.run.id;
  if (auto missing = lacking(view); !missing.empty()) return "vault-test check USER@HOST, on a machine with " + missing;
  return "";
}

std::string cost(const RunView& view) {
  if (view.created == 0 && view.spent.micro == 0) return "";
  auto open = view.open_resources.size() + view.kept.size();
  return "cost " + view.spent.text() + (view.cap ? " of cap " + view.cap->text() : "") +
         (open ? ", and counting: " + count_of(open, "host") + " still open" : "") + (view.rehearsal() ? " (rehearsal: not paid)" : "");
}

}  // namespace

int exit_code_of(const Judgement& j) {
  if (!counts_against(j.verdict)) return 0;
  if (j.verdict == Verdict::fail) return 1;
  switch (j.cause) {
    case Cause::budget: return 4;
    case Cause::operator_: return 130;
    case Cause::self_test:
    case Cause::infrastructure:
    case Cause::host: return 3;
    default: return j.verdict == Verdict::cancelled ? 130 : 1;
  }
}

Outcome outcome_of(const RunView& view) {
  int code = code_of(view);
  return {code, sentence(view, code), next_step(view, code), cost(view)};
}

}  // namespace vt
