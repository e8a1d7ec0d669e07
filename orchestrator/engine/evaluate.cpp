#include "orchestrator/engine/evaluate.hpp"

#include <algorithm>
#include <array>

#include "orchestrator/baseline/hold.hpp"
#include "orchestrator/engine/read_values.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

Output output_of(const protocol::Stream& s) { return {s.head, s.tail, s.bytes, s.lines}; }

bool reads_exit_status(const Check& check) {
  return std::any_of(check.values.begin(), check.values.end(), [](auto& v) { return v.read.from == Reader::From::exit_code; });
}

std::string first_line(const std::string& text) {
  auto line = trim(text);
  return std::string(line.substr(0, std::min<std::size_t>(line.find('\n'), 200)));
}

/// Why what ran gave no result; empty if it did.
std::string problem_of(const Check& check, const protocol::JobResult& r) {
  if (!r.error.empty()) return r.error;
  if (r.timed_out) return "timed out after " + short_text(check.timeout);
  if (r.signal != 0) return "ended by signal " + std::to_string(r.signal);
  if (!r.exit_code) return "never ended";
  if (*r.exit_code == 0 || reads_exit_status(check)) return {};
  auto said = first_line(r.err.head.empty() ? r.out.head : r.err.head);
  return "ended with status " + std::to_string(*r.exit_code) + (said.empty() ? "" : ": " + said);
}

const Expectation* expectation_for(const Check& check, const ValueSpec& spec, const Expectations& replaced) {
  auto at = replaced.find(check.id + "/" + spec.name);
  if (at == replaced.end() && spec.name == "value") at = replaced.find(check.id);
  if (at != replaced.end()) return &at->second;
  return spec.expect ? &*spec.expect : nullptr;
}

ValueJudgement held_against_baseline(const ValueSpec& spec, const Value& measured, const Observation& seen, const Baselines& baselines,
                                     ValueJudgement out) {
  if (seen.device == "cpu") {
    out.why = "measured on the processor: not held against a baseline";
    return out;
  }
  constexpr std::array<std::string_view, 6> verdicts{"held", "low", "missed", "implausible", "no baseline", "unreadable"};
  auto held = hold(measured, spec.baseline, seen.device, baselines);
  out.verdict = verdicts.at(static_cast<std::size_t>(held.state)), out.rule = held.rule, out.why = held.why;
  return out;
}

/// Then a value that is only recorded may be missing: telemetry where there is none to be had.
bool is_judged_by_others(const Check& check, const ValueSpec& one) {
  return std::any_of(check.values.begin(), check.values.end(), [&](auto& v) { return &v != &one && (v.expect || !v.baseline.empty()); });
}

/// A list has one entry per GPU, null for one that has no such value: telemetry that a board lacks.
Value without_nulls(const Value& measured) {
  auto list = measured.as<Value::List>();
  if (!list) return measured;
  auto out = *list;
  std::erase_if(out, [](auto& item) { return item.is_null(); });
  return out;
}

/// "n/a" or "n/a: why", on every GPU: there is nothing here that could be right or wrong.
bool is_not_applicable(const Value& measured) {
  if (auto list = measured.as<Value::List>()) return !list->empty() && std::all_of(list->begin(), list->end(), is_not_applicable);
  auto text = measured.as<std::string>();
  return text && (*text == "n/a" || text->starts_with("n/a:"));
}

ValueJudgement judge_value(const Check& check, const ValueSpec& spec, const Expectations& replaced, const Observation& seen,
                           const Baselines& baselines) {
  auto expected = expectation_for(check, spec, replaced);
  ValueJudgement out{spec.name, "nothing", expected ? expected->text() : "", "recorded", ""};
  auto at = seen.values.find(spec.name);
  if (at == seen.values.end()) {
    out.verdict = "unreadable", out.why = seen.out.cut() || seen.err.cut() ? "output was cut" : "not readable in the output";
    return out;
  }
  if (!at->second.is_null()) out.measured = at->second.text() + (spec.unit.empty() ? "" : " " + spec.unit);
  if (!expected && !spec.baseline.empty()) return held_against_baseline(spec, at->second, seen, baselines, std::move(out));
  bool recorded_only = !expected || expected->op == Expectation::Op::any;
  auto measured = recorded_only ? without_nulls(at->second) : at->second;
  bool empty = measured.is_null() || measured == Value(Value::List{});
  if (!expected && empty && is_judged_by_others(check, spec)) return out;
  Holding holding = judge(measured, spec.type, expected ? *expected : Expectation{});
  out.why = holding.why;
  if (holding.state == Holding::State::unreadable) out.verdict = "unreadable";
  else if (recorded_only) return out;
  else if (holding.state != Holding::State::held) out.verdict = "missed";
  else if (is_not_applicable(measured)) out.verdict = "not applicable", out.why = measured.text();
  else out.verdict = "held";
  return out;
}

std::string reason_from(const std::vector<ValueJudgement>& values, std::string_view verdict) {
  std::vector<std::string> reasons;
  for (auto& v : values)
    if (v.verdict == verdict) reasons.push_back(v.value == "value" ? v.why : v.value + ": " + v.why);
  return join(reasons, "; ");
}

void decide(const Check& check, Judgement& j) {
  auto has = [&](std::string_view verdict) {
    return std::any_of(j.values.begin(), j.values.end(), [&](auto& v) { return v.verdict == verdict; });
  };
  auto is = [&](Verdict v, Cause c, std::string reason) { j.verdict = v, j.cause = c, j.reason = std::move(reason); };
  if (j.values.empty()) return is(Verdict::error, Cause::check, "no value");
  bool counts = check.severity != Severity::info;
  auto unreadable = reason_from(j.values, "unreadable");
  if (has("missed") && counts)
    return is(check.severity == Severity::gate ? Verdict::fail : Verdict::warn, Cause::host,
              reason_from(j.values, "missed") + (unreadable.empty() ? "" : "; besides not readable: " + unreadable));
  if (has("unreadable")) return is(Verdict::error, Cause::check, unreadable);
  if (has("implausible")) return is(Verdict::error, Cause::check, reason_from(j.values, "implausible"));
  if (has("missed")) return is(Verdict::info, Cause::host, reason_from(j.values, "missed"));
  if (has("low")) return is(counts ? Verdict::warn : Verdict::info, Cause::host, reason_from(j.values, "low"));
  if (has("no baseline")) return is(Verdict::info, Cause::check, reason_from(j.values, "no baseline"));
  // That the GPU stayed well meanwhile does not prove what could not be tried on it.
  bool proven = std::any_of(j.values.begin(), j.values.end(),
                            [&](auto& v) { return v.verdict == "held" && (v.value != "health" || !has("not applicable")); });
  if (!proven) return is(Verdict::info, Cause::check, has("not applicable") ? reason_from(j.values, "not applicable") : "recorded only");
  is(Verdict::pass, Cause::none, "");
}

}  // namespace

Observation observe(const Check& check, const ObservationKey& key, const protocol::JobResult& r) {
  Observation seen;
  seen.key = key;
  seen.device = r.device;
  seen.started = r.started_ms;
  seen.took = Duration{r.took_ms};
  seen.exit_code = r.exit_code;
  seen.signal = r.signal;
  seen.timed_out = r.timed_out;
  seen.out = output_of(r.out);
  seen.err = output_of(r.err);
  seen.problem = problem_of(check, r);
  if (seen.problem.empty()) seen.values = read_values(check, seen, r.values);
  return seen;
}

Observation observe_fact(const Check& check, const ObservationKey& key, const Capabilities& host) {
  Observation seen;
  seen.key = key;
  auto& id = std::get<ProbeRun>(check.how).fact;
  auto fact = host.find(id);
  if (!fact || !fact->value) {
    seen.problem = "could not find out " + id + ": " + (fact ? fact->evidence : "not probed");
    return seen;
  }
  for (auto& spec : check.values)
    seen.values[spec.name] = fact->value->as<std::string>() ? read_as(spec.type, fact->value->text()) : *fact->value;
  seen.out.head = id + " = " + fact->value->text() + " (" + fact->evidence + ")\n";
  seen.out.bytes = seen.out.head.size();
  seen.out.lines = 1;
  return seen;
}

Judgement evaluate(const Check& check, const Expectations& replaced, const Observation& seen, const Baselines& baselines) {
  Judgement j;
  j.key = seen.key;
  j.origin = seen.origin;
  if (!seen.problem.empty()) {
    j.verdict = Verdict::error;
    j.cause = std::holds_alternative<ProbeRun>(check.how) ? Cause::capability : Cause::check;
    j.reason = seen.problem;
    return j;
  }
  for (auto& spec : check.values) j.values.push_back(judge_value(check, spec, replaced, seen, baselines));
  decide(check, j);
  return j;
}

Judgement rehearsed(Judgement j) {
  if (j.verdict != Verdict::fail && j.verdict != Verdict::warn) return j;
  j.verdict = Verdict::skip, j.cause = Cause::rehearsal;
  j.reason = "a stand-in host cannot show it: " + j.reason;
  return j;
}

namespace {

/// "found, not run: no memory is free": nothing overlooked, and nothing shown.
bool only_not_run(const std::string& measured) {
  return measured.find("not run") != std::string::npos && measured.find("missed") == std::string::npos;
}

}  // namespace

Judgement self_tested(Judgement j) {
  if (j.key.check != kSelfTest || !proves(j.verdict)) return j;
  auto missed = [](const ValueJudgement& v) { return v.verdict == "missed" && v.value != "health"; };
  auto overlooked = [&](const ValueJudgement& v) { return missed(v) && !only_not_run(v.measured); };
  bool is_missed = std::any_of(j.values.begin(), j.values.end(), overlooked);
  bool ill = std::any_of(j.values.begin(), j.values.end(), [](auto& v) { return v.verdict == "missed" && v.value == "health"; });
  if (!is_missed && (ill || std::none_of(j.values.begin(), j.values.end(), missed))) return j;
  j.verdict = Verdict::error, j.cause = is_missed ? Cause::self_test : Cause::check;
  j.reason = (is_missed ? "a checker overlooked a fault that was put in: " : "a checker could not be tested: ") + j.reason;
  return j;
}

Judgement verdict_only(const ObservationKey& key, Verdict verdict, Cause cause, std::string reason) {
  Judgement j;
  j.key = key;
  j.verdict = verdict;
  j.cause = cause;
  j.reason = std::move(reason);
  return j;
}

}  // namespace vt
