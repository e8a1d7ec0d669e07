#include "orchestrator/engine/obstacles.hpp"

#include <algorithm>

#include "orchestrator/engine/evaluate.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

using Found = std::optional<Judgement>;

Found by_operator(const Check& check, const ObservationKey& key, const Circumstances& now) {
  auto& globs = now.layer.skip;
  if (std::any_of(globs.begin(), globs.end(), [&](auto& glob) { return glob_match(glob, check.id); }))
    return verdict_only(key, Verdict::skip, Cause::operator_, "the plan skips it on this layer");
  if (now.stopped) return verdict_only(key, Verdict::cancelled, Cause::operator_, "interrupted");
  if (now.out_of_time) return verdict_only(key, Verdict::cancelled, Cause::budget, "the layer's time is used up");
  return {};
}

/// An image build or a playbook, for which this version has no runner: never a skip, never a pass.
Found by_runner(const Check& check, const ObservationKey& key, const Circumstances&) {
  auto missing = std::get_if<NoRunner>(&check.how);
  if (!missing) return {};
  return verdict_only(key, Verdict::blocked, Cause::dependency, "no runner yet: " + missing->what);
}

Found by_dependency(const Check& check, const ObservationKey& key, const Circumstances& now) {
  for (auto& id : check.after)
    if (auto at = now.so_far.find(id); at != now.so_far.end() && counts_against(at->second))
      return verdict_only(key, Verdict::blocked, Cause::dependency, id + " is " + std::string(name(at->second)));
  return {};
}

Found by_self_test(const Check& check, const ObservationKey& key, const Circumstances& now) {
  if (!now.self_test_missed || !std::holds_alternative<AgentRun>(check.how)) return {};
  return verdict_only(key, Verdict::blocked, Cause::self_test, "a checker overlooked a fault in " + std::string(kSelfTest));
}

/// "!virt.container" is a thing the host must not be.
std::string stand_in(const std::string& capability) {
  return capability.starts_with("!") ? "the stand-in host has " + capability.substr(1) : "the stand-in host lacks " + capability;
}

Found by_capability(const Check& check, const ObservationKey& key, const Circumstances& now) {
  auto answer = check.needs.evaluate(now.facts);
  if (answer.state == Requirement::State::met) return {};
  if (now.real && check.needs.evaluate(*now.real).state != Requirement::State::absent)
    return verdict_only(key, Verdict::skip, Cause::rehearsal, stand_in(answer.capability) + ": " + answer.evidence);
  bool absent = answer.state == Requirement::State::absent;
  auto j = verdict_only(key, absent ? Verdict::skip : Verdict::error, Cause::capability, answer.capability + ": " + answer.evidence);
  if (!absent) j.reason = "could not find out " + j.reason;
  j.capability = answer.capability;
  j.evidence = answer.evidence;
  return j;
}

/// Someone else's work is never disturbed unless the plan says the machine is ours alone.
Found by_neighbours(const Check& check, const ObservationKey& key, const Circumstances& now) {
  if (!check.disruptive || now.access.exclusive) return {};
  for (auto id : {"host.users", "gpu.processes"}) {
    auto fact = now.facts.find(id);
    bool free = fact && fact->value && !fact->value->truthy();
    if (free) continue;
    auto seen = fact ? fact->evidence : "not probed";
    return verdict_only(key, Verdict::blocked, Cause::host,
                        "disruptive, and the machine may be in use (" + std::string(id) + ": " + seen + "); `exclusive: true` allows it");
  }
  return {};
}

}  // namespace

Found obstacle(const Check& check, const ObservationKey& key, const Circumstances& now) {
  for (auto rule : {by_operator, by_runner, by_dependency, by_self_test, by_capability, by_neighbours})
    if (auto found = rule(check, key, now)) return found;
  return {};
}

}  // namespace vt
