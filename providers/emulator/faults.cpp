#include "providers/emulator/faults.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"

namespace vt::emulator {

using nlohmann::json;

const std::vector<FaultInfo>& fault_infos() {
  using enum FaultKind;
  static const std::vector<FaultInfo> table = {
      {lost_before, "lost-before", "create delete get list", true, 0, "not executed, and the connection ends without a reply"},
      {lost_after, "lost-after", "create delete", true, 0, "executed, but the connection ends without a reply"},
      {error_after, "error-after", "create delete", true, 0, "executed, but answered with 500"},
      {reset, "reset", "get list operation", true, 0, "reset on a connection that carried an earlier request; not executed"},
      {late, "late", "create", false, 20, "the new resource is missing from get and list for a while"},
      {conflict, "conflict", "create", true, 0, "not executed, answered with 409"},
      {rate, "rate", "create list get delete", true, 3, "not executed, answered with 429 and Retry-After"},
      {stockout, "stockout", "create", false, 0, "no capacity; Compute Engine says so inside the operation, with zones that have some"},
      {quota, "quota", "create", false, 0, "over quota, or no funds"},
      {preempt, "preempt", "create", false, 60, "the new resource is taken away that long after it became ready"},
      {stuck, "stuck", "create", false, 0, "the new resource never becomes ready"},
      {vanish, "vanish", "create", false, 45, "the new resource is gone without a trace that long after its creation"},
      {undead, "undead", "delete", false, 40, "answered as usual, but the resource stays for a while"},
      {partial, "partial", "list", false, 0, "the list lacks resources: a page, or a zone that could not be asked"},
      {skew, "skew", "get list", true, 600, "the Date header is that far ahead"},
      {expired, "expired", "create get list delete", true, 0, "not executed, answered with 401"},
      {truncated, "truncated", "get list create", true, 0, "executed, but the connection ends in the middle of the body"},
      {slow, "slow", "get list create", true, 10, "executed, but the reply drips in"},
      {unavailable, "unavailable", "create get list delete", true, 0, "not executed, answered with 503"},
      {unreachable, "unreachable", "get list operation", true, 5,
       "after this call every connection is reset and new ones are refused for a while"},
      {no_gpu, "no-gpu", "create", false, 0, "a RunPod pod comes up without its GPUs"},
      {old_driver, "old-driver", "create", false, 0, "a RunPod pod comes to a host with an older CUDA than was asked for"},
      {wrong_port, "wrong-port", "create", false, 0, "RunPod tells a port of the pod at which nobody answers"},
      {tls, "tls", "create delete get list", true, 0,
       "not executed; a TLS alert in place of the reply, as of one on the way that cannot agree on a cipher (the emulator itself speaks "
       "plain HTTP)"},
  };
  return table;
}

const FaultInfo& info(FaultKind kind) { return fault_infos()[static_cast<std::size_t>(kind)]; }

std::string_view name(Api api) {
  switch (api) {
    case Api::gcp: return "gcp";
    case Api::runpod: return "runpod";
    case Api::none: break;
  }
  return "any";
}

std::string_view name(CallKind call) {
  switch (call) {
    case CallKind::create: return "create";
    case CallKind::get: return "get";
    case CallKind::list: return "list";
    case CallKind::remove: return "delete";
    case CallKind::operation: return "operation";
    case CallKind::token: return "token";
    case CallKind::change: return "change";
    case CallKind::none: break;
  }
  return "any";
}

const Fault* FaultSet::find(FaultKind kind) const {
  auto found = std::find_if(met_.begin(), met_.end(), [&](const Fault& f) { return f.kind == kind; });
  return found == met_.end() ? nullptr : &*found;
}

std::string FaultSet::text() const {
  std::vector<std::string> names;
  for (auto& f : met_) names.emplace_back(info(f.kind).name);
  return join(names, " ");
}

namespace {

template <class T>
Result<T> by_name(const std::string& text, std::initializer_list<T> all) {
  for (T one : all)
    if (name(one) == text) return one;
  return fail(Errc::usage, "unknown word in the fault plan: " + text);
}

Result<Fault> fault_from(const json& row) {
  Fault f;
  std::string kind = row.value("kind", "");
  auto& infos = fault_infos();
  auto known = std::find_if(infos.begin(), infos.end(), [&](const FaultInfo& i) { return i.name == kind; });
  if (known == infos.end()) return fail(Errc::usage, "unknown fault '" + kind + "'");
  f.kind = known->kind;
  using enum CallKind;
  VT_TRY(f.api, by_name(row.value("api", "any"), {Api::none, Api::gcp, Api::runpod}));
  VT_TRY(f.call, by_name(row.value("call", "any"), {none, create, get, list, remove, operation, token, change}));
  f.nth = row.value("nth", 0), f.probability = row.value("probability", 0.0);
  f.length = std::chrono::seconds(row.value("seconds", known->seconds));
  if (f.nth <= 0 && f.probability <= 0) return fail(Errc::usage, "a fault needs nth or probability: " + row.dump());
  return f;
}

Result<std::vector<Fault>> plan_from(const std::string& text, std::uint64_t& seed) {
  try {
    json plan = json::parse(text);
    if (plan.is_object()) seed = plan.value("seed", seed);
    std::vector<Fault> faults;
    for (auto& row : plan.is_object() ? plan.at("faults") : plan) {
      VT_TRY(Fault fault, fault_from(row));
      faults.push_back(fault);
    }
    return faults;
  } catch (const json::exception& e) { return fail(Errc::usage, std::string("the fault plan is not what it should be: ") + e.what()); }
}

/// Remainders instead of distributions: the standard library's differ between versions, and a printed seed must stay good.
std::uint64_t below(std::mt19937_64& random, std::uint64_t limit) { return random() % limit; }

Fault random_fault(std::mt19937_64& random) {
  const FaultInfo& chosen = fault_infos()[below(random, fault_infos().size())];
  auto calls = split(chosen.calls, ' ');
  Fault f;
  f.kind = chosen.kind;
  using enum CallKind;
  f.call = by_name(calls[below(random, calls.size())], {create, get, list, remove, operation}).value_or(none);
  f.length = std::chrono::seconds(chosen.seconds);
  if (below(random, 4) == 0) f.probability = 0.2;
  else f.nth = static_cast<int>(1 + below(random, f.call == create || f.call == remove ? 2 : 5));
  return f;
}

std::vector<Fault> random_plan(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Fault> plan(1 + below(random, 4));
  for (auto& fault : plan) fault = random_fault(random);
  return plan;
}

}  // namespace

Result<Faults> Faults::make(const std::string& text, std::uint64_t seed) {
  if (text.empty()) return Faults(seed, {});
  if (text == "random") return Faults(seed, random_plan(seed));
  VT_TRY(std::vector<Fault> plan, plan_from(text, seed));
  return Faults(seed, std::move(plan));
}

Status Faults::replace(const std::string& text) {
  VT_TRY(Faults other, make(text, seed_));
  std::lock_guard lock(mutex_);
  plan_ = std::move(other.plan_);
  return {};
}

FaultSet Faults::meet(Api api, CallKind call, bool reused) {
  FaultSet met;
  if (call == CallKind::none) return met;
  std::lock_guard lock(mutex_);
  for (auto& f : plan_) {
    if (f.api != Api::none && f.api != api) continue;
    if (f.call != CallKind::none && f.call != call) continue;
    if (f.kind == FaultKind::reset && !reused) continue;
    ++f.seen;
    bool hit = f.nth > 0 ? f.seen == f.nth : static_cast<double>(below(random_, 1'000'000)) < f.probability * 1e6;
    if (hit) met.add(f);
  }
  return met;
}

std::string Faults::json() const {
  std::lock_guard lock(mutex_);
  auto rows = nlohmann::json::array();
  for (auto& f : plan_) {
    nlohmann::json row = {{"api", name(f.api)}, {"call", name(f.call)}, {"kind", info(f.kind).name}};
    if (f.nth > 0) row["nth"] = f.nth;
    else row["probability"] = f.probability;
    if (f.length != Duration::zero()) row["seconds"] = f.length.count() / 1000;
    rows.push_back(row);
  }
  return nlohmann::json{{"seed", seed_}, {"faults", rows}}.dump();
}

}  // namespace vt::emulator
